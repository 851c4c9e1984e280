import { KeySquare, Plus } from "lucide-react";
import { Badge } from "~/ui/badge";
import { LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { RelativeTime } from "~/ui/time";
import type { ApiToken } from "../tokens.schema";
import { GatewayAddresses } from "./gateway-addresses";

const SHOWN_MODELS = 3;

/** What a token may ask of the gateway, in a few words; empty where it has no limits of its own. */
function limitsOf({ models, requestsPerMinute }: ApiToken): string {
  const shown = models?.slice(0, SHOWN_MODELS).join(", ");
  const more = models && models.length > SHOWN_MODELS ? ` and ${models.length - SHOWN_MODELS} more` : "";
  const rate = requestsPerMinute
    ? `${requestsPerMinute.toLocaleString("en-US")} requests per minute`
    : undefined;
  return [shown && `only ${shown}${more}`, rate].filter(Boolean).join(" · ");
}

interface TokensCardProps {
  tokens: ApiToken[];
  /** The console's own address, where this person may use the gateway. */
  gateway: string | undefined;
}

/** A person's API tokens, without their secrets. */
export function TokensCard({ tokens, gateway }: TokensCardProps) {
  return (
    <Card
      title="API tokens"
      description="For programs that call the API in your name."
      actions={
        <LinkButton to="?dialog=new-token" preventScrollReset size="sm" icon={<Plus aria-hidden="true" />}>
          New token
        </LinkButton>
      }
    >
      {tokens.length === 0 ? (
        <p className="flex items-center gap-2 text-muted">
          <KeySquare aria-hidden="true" className="size-4" />
          You have no API tokens.
        </p>
      ) : (
        <ul className="flex flex-col divide-y divide-line">
          {tokens.map((token) => (
            <li
              key={token.id}
              className="flex flex-wrap items-center gap-x-4 gap-y-2 py-2.5 first:pt-0 last:pb-0"
            >
              <div className="min-w-0 flex-1">
                <p className="flex flex-wrap items-center gap-2">
                  <span className="min-w-0 break-words font-medium">{token.name}</span>
                  <Badge>{token.role}</Badge>
                  <Badge mono>{token.prefix}…</Badge>
                </p>
                <p className="text-muted text-xs">
                  {token.scopes.length} {token.scopes.length === 1 ? "permission" : "permissions"} ·{" "}
                  {token.lastUsedAt ? (
                    <>
                      last used <RelativeTime at={token.lastUsedAt} />
                    </>
                  ) : (
                    "never used"
                  )}{" "}
                  ·{" "}
                  {token.expiresAt ? (
                    <>
                      expires <RelativeTime at={token.expiresAt} style="date" />
                    </>
                  ) : (
                    "no expiry"
                  )}
                </p>
                {limitsOf(token) && (
                  <p className="break-words text-muted text-xs" title={token.models?.join(", ")}>
                    Gateway: {limitsOf(token)}
                  </p>
                )}
              </div>
              <LinkButton
                to={`?dialog=revoke-token&id=${encodeURIComponent(token.id)}`}
                preventScrollReset
                size="sm"
                aria-label={`Revoke ${token.name}`}
              >
                Revoke
              </LinkButton>
            </li>
          ))}
        </ul>
      )}
      {gateway && (
        <section className="mt-4 rounded-md border border-line bg-sunken px-3 py-2.5">
          <h3 className="font-medium text-sm">Use it</h3>
          <GatewayAddresses origin={gateway} />
        </section>
      )}
    </Card>
  );
}
