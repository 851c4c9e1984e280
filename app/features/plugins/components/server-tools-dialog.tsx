import { Form } from "@remix-run/react";
import { RefreshCw } from "lucide-react";
import { Badge, type Tone } from "~/ui/badge";
import { Button } from "~/ui/button";
import { Checkbox } from "~/ui/choice";
import { Dialog, FormActions } from "~/ui/dialog";
import { Notice } from "~/ui/notice";
import { RelativeTime } from "~/ui/time";
import type { McpServer, McpToolState } from "../mcp/mcp.schema";

const STATES: Record<McpToolState["state"], { label: string; tone: Tone }> = {
  new: { label: "New", tone: "info" },
  allowed: { label: "Allowed", tone: "success" },
  denied: { label: "Denied", tone: "neutral" },
  changed: { label: "Changed", tone: "warning" },
};

/** Allows or denies each tool of an MCP server. */
export function ServerToolsDialog({ server, closeTo }: { server: McpServer; closeTo: string }) {
  const about = server.server
    ? `${server.server.name} ${server.server.version}, protocol ${server.server.protocol || "unknown"}`
    : server.url;
  return (
    <Dialog title={`Tools of ${server.title}`} description={about} closeTo={closeTo} size="lg">
      <Form
        method="post"
        preventScrollReset
        className="mb-4 flex flex-wrap items-center justify-between gap-2"
      >
        <input type="hidden" name="id" value={server.id} />
        <p className="text-muted text-xs">
          {server.checkedAt ? (
            <>
              Checked <RelativeTime at={server.checkedAt} />
            </>
          ) : (
            "Not checked yet"
          )}
        </p>
        <Button size="sm" name="intent" value="refresh-tools" icon={<RefreshCw aria-hidden="true" />}>
          Check Now
        </Button>
      </Form>
      {server.error && (
        <Notice kind="danger" title="The last check failed" className="mb-4">
          {server.error}
        </Notice>
      )}
      <p className="mb-3 text-muted">
        Names and descriptions are the server's own and go to the model as they are. Read them before you
        allow a tool. A tool that changes is off until you allow it again.
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
        <FormActions closeTo={closeTo} intent="decide-tools" label="Save Changes" />
      </Form>
    </Dialog>
  );
}

function ToolChoice({ tool }: { tool: McpToolState }) {
  const { label, tone } = STATES[tool.state];
  return (
    <>
      <Checkbox
        name="allowed"
        value={`${tool.name}#${tool.hash}`}
        defaultChecked={tool.state === "allowed"}
        label={
          <span className="flex flex-wrap items-center gap-2">
            <span className="break-all font-mono">{tool.name}</span>
            <Badge tone={tone}>{label}</Badge>
          </span>
        }
        hint={<span className="whitespace-pre-line break-words">{tool.description || "No description"}</span>}
      />
      {tool.agreed && (
        <div className="ml-6.5 flex flex-col gap-1 text-xs">
          <p className="font-medium">Before</p>
          <p className="whitespace-pre-line break-words text-muted line-through">
            {tool.agreed.description || "No description"}
          </p>
        </div>
      )}
      <details className="ml-6.5 text-xs">
        <summary className="inline-flex min-h-8 cursor-pointer items-center text-muted hover:text-ink pointer-coarse:min-h-11">
          Input schema of {tool.name}
        </summary>
        <Schema label={tool.agreed ? "Now" : undefined} schema={tool.inputSchema} />
        {tool.agreed && <Schema label="Before" schema={tool.agreed.inputSchema} />}
      </details>
    </>
  );
}

function Schema({ label, schema }: { label: string | undefined; schema: Record<string, unknown> }) {
  return (
    <>
      {label && <p className="mt-1 font-medium">{label}</p>}
      <pre className="mt-1 whitespace-pre-wrap break-words rounded-md border border-line bg-sunken p-2 font-mono">
        {JSON.stringify(schema, null, 2)}
      </pre>
    </>
  );
}
