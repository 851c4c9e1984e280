import { Form } from "@remix-run/react";
import { ExternalLink, LogIn, Unplug } from "lucide-react";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import type { McpServer } from "../mcp/mcp.schema";

interface ServerAccountProps {
  server: Pick<McpServer, "id" | "title">;
  account: NonNullable<McpServer["account"]>;
  signInAt: string | undefined;
}

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : url);

/** The OAuth account of the server's calls. */
export function ServerAccount({ server, account, signInAt }: ServerAccountProps) {
  const { connected, issuer } = account;
  return (
    <section
      aria-label="Account"
      className="flex flex-wrap items-center justify-between gap-3 rounded-md border border-line bg-surface px-3 py-2.5"
    >
      <div className="min-w-0 flex-[1_1_16rem]">
        <p className="flex flex-wrap items-center gap-2 text-sm">
          <Badge tone={connected ? "success" : "warning"}>{connected ? "Connected" : "Not connected"}</Badge>
          {connected && issuer && <span className="break-all">{hostOf(issuer)}</span>}
        </p>
        <p className="mt-1 text-muted text-xs">
          {connected
            ? "All members' calls use this account. Its tokens are stored encrypted."
            : `${server.title} requires a sign-in. All members' calls use the account you sign in with.`}
        </p>
      </div>
      {signInAt && !connected ? (
        <a
          href={signInAt}
          rel="noreferrer"
          className="inline-flex min-h-9 max-w-full items-center gap-2 rounded-md forced-colors:border bg-primary-solid px-3.5 font-medium text-on-solid text-sm hover:bg-primary-solid-hover pointer-coarse:min-h-11 [&_svg]:size-4 [&_svg]:shrink-0"
        >
          <ExternalLink aria-hidden="true" />
          <span className="min-w-0 break-all">Continue to {hostOf(signInAt)}</span>
        </a>
      ) : (
        <Form method="post" preventScrollReset>
          <input type="hidden" name="id" value={server.id} />
          {connected ? (
            <Button name="intent" value="disconnect-account" size="sm" icon={<Unplug aria-hidden="true" />}>
              Disconnect
            </Button>
          ) : (
            <Button
              name="intent"
              value="connect-account"
              variant="primary"
              icon={<LogIn aria-hidden="true" />}
            >
              Connect
            </Button>
          )}
        </Form>
      )}
    </section>
  );
}
