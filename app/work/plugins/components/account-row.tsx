import { Form } from "@remix-run/react";
import { ExternalLink, LogIn, Unplug } from "lucide-react";
import type { ReactNode } from "react";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import type { McpOwnAccount } from "../mcp/mcp.schema";

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : url);

interface AccountRowProps extends Pick<McpOwnAccount, "id" | "connected" | "issuer" | "neededScope"> {
  /** The sign-in page, once the sign-in has begun. */
  signInAt: string | undefined;
  /** Of several servers. */
  title?: string;
  children: ReactNode;
}

/** An OAuth account at an MCP server, connected and disconnected by the page's action. */
export function AccountRow({
  id,
  title,
  connected,
  issuer,
  neededScope,
  signInAt,
  children,
}: AccountRowProps) {
  const about = title ? ` ${title}` : "";
  const state = neededScope ? "Needs wider rights" : connected ? "Connected" : "Not connected";
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <div className="min-w-0 flex-[1_1_16rem]">
        <p className="flex flex-wrap items-center gap-2 text-sm">
          {title && <span className="break-words font-medium">{title}</span>}
          <Badge tone={connected && !neededScope ? "success" : "warning"}>{state}</Badge>
          {connected && issuer && <span className="break-all">{hostOf(issuer)}</span>}
        </p>
        <p className="mt-1 text-muted text-xs">{children}</p>
        {neededScope && (
          <p className="mt-1 break-words text-xs">
            A call lacked the scope <span className="font-mono">{neededScope}</span>. Connect again to grant
            it.
          </p>
        )}
      </div>
      {signInAt ? (
        <a
          href={signInAt}
          rel="noreferrer"
          className="inline-flex min-h-9 max-w-full items-center gap-2 rounded-md forced-colors:border bg-primary-solid px-3.5 font-medium text-on-solid text-sm hover:bg-primary-solid-hover pointer-coarse:min-h-11 [&_svg]:size-4 [&_svg]:shrink-0"
        >
          <ExternalLink />
          <span className="min-w-0 break-all">Continue to {hostOf(signInAt)}</span>
        </a>
      ) : (
        <Form method="post" preventScrollReset className="flex flex-wrap gap-2">
          <input type="hidden" name="id" value={id} />
          {(!connected || neededScope) && (
            <Button
              name="intent"
              value="connect-account"
              variant="primary"
              icon={<LogIn />}
              aria-label={`Connect${about}`}
            >
              Connect
            </Button>
          )}
          {connected && (
            <Button
              name="intent"
              value="disconnect-account"
              size="sm"
              icon={<Unplug />}
              aria-label={`Disconnect${about}`}
            >
              Disconnect
            </Button>
          )}
        </Form>
      )}
    </div>
  );
}

interface OwnAccountsCardProps {
  accounts: McpOwnAccount[];
  /** The sign-in that has begun. */
  signIn: { id: string; url: string } | undefined;
}

/** The person's accounts at MCP servers; nothing where no server wants one. */
export function OwnAccountsCard({ accounts, signIn }: OwnAccountsCardProps) {
  if (accounts.length === 0) return null;
  return (
    <Card
      id="mcp-accounts"
      title="Accounts at MCP Servers"
      description="Tools of these servers act with your own account. Its tokens are stored encrypted."
    >
      <ul className="flex flex-col">
        {accounts.map((account) => (
          <li key={account.id} className="border-line py-3 not-last:border-b">
            <AccountRow {...account} signInAt={signIn?.id === account.id ? signIn.url : undefined}>
              <span className="break-all">{hostOf(account.url)}</span>
            </AccountRow>
          </li>
        ))}
      </ul>
    </Card>
  );
}
