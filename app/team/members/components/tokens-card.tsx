import { KeySquare, Plus, Trash2 } from "lucide-react";
import { ROLE_LABELS } from "~/core/actor";
import { Badge } from "~/ui/badge";
import { LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { CopyButton } from "~/ui/copy-button";
import { countOf } from "~/ui/format";
import { Row } from "~/ui/row";
import { RowList } from "~/ui/row-selection";
import { RelativeTime } from "~/ui/time";
import type { ApiToken } from "../tokens.schema";

const SHOWN_MODELS = 3;

function limitsOf({ models, requestsPerMinute, guardrails }: ApiToken): string {
  const names = models?.slice(0, SHOWN_MODELS).join(", ");
  const more = models && models.length > SHOWN_MODELS ? ` and ${models.length - SHOWN_MODELS} more` : "";
  const rate = requestsPerMinute ? `${countOf(requestsPerMinute, "request")} per minute` : undefined;
  const own = guardrails ? "guardrails of its own" : undefined;
  return [names && `${names}${more}`, rate, own].filter(Boolean).join(" · ");
}

interface TokensCardProps {
  tokens: ApiToken[];
  budgetWarnings: Readonly<Record<string, readonly { text: string }[]>>;
  /** The console's origin, if the user may use the gateway. */
  gateway: string | undefined;
}

export function TokensCard({ tokens, budgetWarnings, gateway }: TokensCardProps) {
  return (
    <Card
      id="api-tokens"
      title="API Tokens"
      description="Let programs call the API with your permissions"
      actions={
        <LinkButton to="?dialog=new-token" preventScrollReset size="sm" icon={<Plus aria-hidden="true" />}>
          New Token
        </LinkButton>
      }
    >
      {tokens.length === 0 ? (
        <p className="flex items-center gap-2 text-muted">
          <KeySquare aria-hidden="true" className="size-4" />
          No API tokens yet
        </p>
      ) : (
        <RowList label="API Tokens" flush>
          {tokens.map((token) => (
            <TokenRow key={token.id} token={token} budgetWarnings={budgetWarnings[token.id] ?? []} />
          ))}
        </RowList>
      )}
      {gateway && (
        <section className="mt-4 rounded-md border border-line bg-sunken px-3 py-2.5">
          <h3 className="font-medium text-sm">Endpoints</h3>
          <GatewayAddresses origin={gateway} />
        </section>
      )}
    </Card>
  );
}

function TokenRow({
  token,
  budgetWarnings,
}: {
  token: ApiToken;
  budgetWarnings: readonly { text: string }[];
}) {
  const limits = limitsOf(token);
  return (
    <Row
      name={token.name}
      icon={<KeySquare aria-hidden="true" />}
      badges={<Badge mono>{token.prefix}…</Badge>}
      meta={
        <>
          {ROLE_LABELS[token.role]} · {countOf(token.scopes.length, "permission")} ·{" "}
          {token.lastUsedAt ? (
            <>
              last used <RelativeTime at={token.lastUsedAt} style="running" />
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
        </>
      }
      details={
        <>
          {limits && (
            <p className="truncate text-muted text-xs" title={token.models?.join(", ")}>
              Gateway: {limits}
            </p>
          )}
          {budgetWarnings.map(({ text }) => (
            <p key={text} className="text-warning-ink text-xs">
              {text}
            </p>
          ))}
        </>
      }
      actions={[
        {
          label: "Revoke",
          icon: <Trash2 />,
          to: `?dialog=revoke-token&id=${encodeURIComponent(token.id)}`,
        },
      ]}
    />
  );
}

export function GatewayAddresses({ origin }: { origin: string }) {
  const rows = [
    ["OpenAI clients", `${origin}/v1`],
    ["Anthropic clients", origin],
  ] as const;
  return (
    <>
      <p className="text-muted text-xs">Set one of these as the base URL, and a token as the API key.</p>
      <dl className="mt-2 flex flex-col gap-1">
        {rows.map(([label, address]) => (
          <div key={label} className="flex flex-wrap items-center gap-x-3">
            <dt className="w-full shrink-0 sm:w-32 text-muted text-xs">{label}</dt>
            <dd className="flex min-w-0 flex-1 items-center gap-1">
              <code className="min-w-0 break-all font-mono text-xs">{address}</code>
              <CopyButton text={address} label={`Copy the address for ${label}`} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
