import { Form, useActionData } from "@remix-run/react";
import { RefreshCw, ShieldAlert, ShieldCheck } from "lucide-react";
import { Button } from "~/ui/button";
import { Dialog, FormActions } from "~/ui/dialog";
import { Notice } from "~/ui/notice";
import { RelativeTime } from "~/ui/time";
import type { McpServer } from "../mcp/mcp.schema";
import { ServerAccount } from "./server-account";
import { ServerPrompts, ServerResources } from "./server-lists";
import { ToolChoice } from "./tool-choice";

interface ServerToolsDialogProps {
  server: McpServer;
  signInAt: string | undefined;
  closeTo: string;
}

interface Refused {
  failed?: { title: string; description: string };
}

/** Account, tool permissions, prompts and resources. */
export function ServerToolsDialog({ server, signInAt, closeTo }: ServerToolsDialogProps) {
  const failed = useActionData<Refused>()?.failed;
  const about = server.server
    ? `${server.server.name} ${server.server.version}, protocol ${server.server.protocol || "unknown"}`
    : server.url;
  const isReady = server.account === null || server.account.connected;
  return (
    <Dialog title={`Tools of ${server.title}`} description={about} closeTo={closeTo} size="lg">
      <div className="flex flex-col gap-4">
        {failed && (
          <Notice kind="danger" title={failed.title}>
            {failed.description}
          </Notice>
        )}
        {server.account && <ServerAccount server={server} account={server.account} signInAt={signInAt} />}
        {isReady && <LastCheck server={server} />}
        {server.error && isReady && (
          <Notice kind="danger" title="The last check failed">
            {server.error}
          </Notice>
        )}
        <Sandbox sandbox={server.sandbox} />
        {isReady && <Tools server={server} closeTo={closeTo} />}
      </div>
    </Dialog>
  );
}

function LastCheck({ server }: { server: McpServer }) {
  return (
    <Form method="post" preventScrollReset className="flex flex-wrap items-center justify-between gap-2">
      <input type="hidden" name="id" value={server.id} />
      <p className="text-muted text-xs">
        {server.checkedAt ? (
          <>
            Checked <RelativeTime at={server.checkedAt} style="running" />
          </>
        ) : (
          "Not checked yet"
        )}
      </p>
      <Button size="sm" name="intent" value="refresh-tools" icon={<RefreshCw aria-hidden="true" />}>
        Check Now
      </Button>
    </Form>
  );
}

function Sandbox({ sandbox }: Pick<McpServer, "sandbox">) {
  if (sandbox === null) return null;
  const isIsolated = sandbox === "bubblewrap";
  const Icon = isIsolated ? ShieldCheck : ShieldAlert;
  return (
    <p className="flex items-start gap-2 text-sm [&_svg]:mt-0.5 [&_svg]:size-4 [&_svg]:shrink-0">
      <Icon aria-hidden="true" className={isIsolated ? "text-success-ink" : "text-warning-ink"} />
      {isIsolated
        ? "Sandbox: bubblewrap. The command can't reach the network unless the operator allows it, nor the data folder."
        : "Sandbox: none. The command can read what the console's user can, and reach the network. Install bubblewrap to isolate it."}
    </p>
  );
}

function Tools({ server, closeTo }: { server: McpServer; closeTo: string }) {
  const changed = server.tools.filter(({ state }) => state === "changed").length;
  return (
    <>
      {changed > 0 && (
        <Notice kind="warning" title={changed === 1 ? "1 tool has changed" : `${changed} tools have changed`}>
          {changed === 1 ? "It is" : "They are"} off until you allow {changed === 1 ? "it" : "them"} again.
          Read what changed first.
        </Notice>
      )}
      <p className="text-muted">
        Names and descriptions come from the server and are passed to the model unchanged. Read them before
        you allow a tool.
      </p>
      <Form method="post" preventScrollReset key={server.tools.map(({ hash }) => hash).join()}>
        <input type="hidden" name="id" value={server.id} />
        {server.tools.length === 0 ? (
          <p className="text-muted">The server lists no tools.</p>
        ) : (
          <ul className="flex flex-col">
            {server.tools.map((tool) => (
              <li key={tool.name} className="border-line py-3 not-last:border-b">
                <ToolChoice tool={tool} />
              </li>
            ))}
          </ul>
        )}
        <ServerPrompts prompts={server.prompts} />
        <ServerResources resources={server.resources} />
        <FormActions closeTo={closeTo} intent="decide-tools" label="Save Changes" />
      </Form>
    </>
  );
}
