import { Form } from "@remix-run/react";
import { ChevronRight, Info, RefreshCw, ShieldAlert, ShieldCheck, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Badge, type Tone } from "~/ui/badge";
import { Button } from "~/ui/button";
import { Checkbox } from "~/ui/choice";
import { FailedNotice } from "~/ui/confirm-dialog";
import { Dialog, FormActions } from "~/ui/dialog";
import { countOf, formatCount } from "~/ui/format";
import { Notice } from "~/ui/notice";
import { usePageAddress } from "~/ui/page-address";
import { Pagination } from "~/ui/pagination";
import { RadioCard } from "~/ui/radio-card";
import { SearchInput } from "~/ui/search-input";
import { RelativeTime } from "~/ui/time";
import type { DifferenceLine, McpServer, McpToolState, ServerTools } from "../mcp/mcp.schema";
import { AccountRow } from "./account-row";

/** Inserted by "/" in chat. */
function ServerPrompts({ prompts }: Pick<McpServer, "prompts">) {
  if (prompts.length === 0) return null;
  return (
    <List title={countOf(prompts.length, "prompt")} hint='Type "/" in a message to insert one.'>
      {prompts.map(({ name, title, description, arguments: all }) => (
        <li key={name} className="border-line py-2 not-last:border-b">
          <p className="flex flex-wrap items-center gap-2">
            <span className="break-all font-mono text-sm">{name}</span>
            {title !== name && <span className="text-muted text-xs">{title}</span>}
            {all.map((argument) => (
              <Badge key={argument.name} mono>
                {argument.required ? argument.name : `${argument.name} (optional)`}
              </Badge>
            ))}
          </p>
          {description && <p className="break-words text-muted text-xs">{description}</p>}
        </li>
      ))}
    </List>
  );
}

/** Read by the tool `read_resource`. */
function ServerResources({ resources }: Pick<McpServer, "resources">) {
  if (resources.length === 0) return null;
  return (
    <List title={countOf(resources.length, "resource")} hint="Models read them with the tool read_resource.">
      {resources.map(({ uri, name, description, mediaType, template }) => (
        <li key={uri} className="border-line py-2 not-last:border-b">
          <p className="flex flex-wrap items-center gap-2">
            <span className="text-sm">{name}</span>
            {template && <Badge>Template</Badge>}
            {mediaType && <span className="text-muted text-xs">{mediaType}</span>}
          </p>
          <p className="break-all font-mono text-muted text-xs">{uri}</p>
          {description && <p className="break-words text-muted text-xs">{description}</p>}
        </li>
      ))}
    </List>
  );
}

function List({ title, hint, children }: { title: string; hint: string; children: ReactNode }) {
  return (
    <details className="group border-line border-t">
      <summary className="flex min-h-11 cursor-pointer list-none items-center gap-1.5 font-medium text-sm hover:text-primary-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight className="size-4 shrink-0 text-muted transition-transform group-open:rotate-90" />
        {title}
      </summary>
      <p className="text-muted text-xs">{hint}</p>
      <ul className="flex flex-col pb-2">{children}</ul>
    </details>
  );
}

interface ServerAccountProps {
  server: Pick<McpServer, "id" | "title">;
  account: NonNullable<McpServer["account"]>;
  signInAt: string | undefined;
}

function aboutAccount({ connected, accounts }: ServerAccountProps["account"], title: string): string {
  if (accounts === "personal")
    return connected
      ? "This is your own account, which also lists the tools. Other members connect theirs under Settings › Profile."
      : `Connect your own account to list the tools of ${title}. Other members connect theirs under Settings › Profile.`;
  return connected
    ? "All members' calls use this account. Its tokens are stored encrypted."
    : `${title} requires a sign-in. All members' calls use the account you sign in with.`;
}

const ACCOUNTS = [
  { value: "shared", label: "One for all members", hint: "An admin connects it." },
  {
    value: "personal",
    label: "Each member connects their own",
    hint: "Calls have the rights of their account.",
  },
] as const;

/** The OAuth account of the server's calls. */
function ServerAccount({ server, account, signInAt }: ServerAccountProps) {
  return (
    <section aria-label="Account" className="rounded-md border border-line bg-surface px-3 py-2.5">
      <AccountRow {...account} id={server.id} signInAt={signInAt}>
        {aboutAccount(account, server.title)}
      </AccountRow>
      <Form method="post" preventScrollReset className="mt-3 flex flex-col gap-3 border-line border-t pt-3">
        <input type="hidden" name="id" value={server.id} />
        <fieldset className="flex min-w-0 flex-col gap-2">
          <legend className="mb-1.5 font-medium text-sm">Accounts</legend>
          {ACCOUNTS.map(({ value, ...texts }) => (
            <RadioCard
              key={value}
              name="accounts"
              value={value}
              defaultChecked={account.accounts === value}
              {...texts}
            />
          ))}
        </fieldset>
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="text-muted text-xs">A change disconnects the accounts that are connected now.</p>
          <Button name="intent" value="choose-accounts" size="sm">
            Save Accounts
          </Button>
        </div>
      </Form>
    </section>
  );
}

interface ServerToolsDialogProps extends ServerTools {
  signInAt: string | undefined;
  closeTo: string;
}

/** Account, tool permissions, prompts and resources. */
export function ServerToolsDialog({ signInAt, closeTo, ...shown }: ServerToolsDialogProps) {
  const { server } = shown;
  const about = server.server
    ? `${server.server.name} ${server.server.version}, protocol ${server.server.protocol || "unknown"}`
    : server.url;
  const isReady = server.account === null || server.account.connected;
  return (
    <Dialog title={`Tools of ${server.title}`} description={about} closeTo={closeTo} size="lg">
      <div className="flex flex-col gap-4">
        <FailedNotice />
        {server.account && <ServerAccount server={server} account={server.account} signInAt={signInAt} />}
        {isReady && <LastCheck server={server} />}
        {server.error && isReady && (
          <Notice kind="danger" title="The last check failed">
            {server.error}
          </Notice>
        )}
        <Sandbox sandbox={server.sandbox} />
        {isReady && <Tools {...shown} closeTo={closeTo} />}
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
      <Button size="sm" name="intent" value="refresh-tools" icon={<RefreshCw />}>
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

function Tools({ server, find, pageInfo, counts, closeTo }: ServerTools & { closeTo: string }) {
  const address = usePageAddress();
  const { changed } = counts;
  const isLong = counts.tools > FEW_TOOLS;
  const decidable = server.tools.filter(({ state }) => state !== "unsupported");
  const pageTo = (page: number) =>
    address({ dialog: "tools", id: server.id, toolPage: page > 1 ? String(page) : undefined });
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
      {isLong && <FindTools id={server.id} find={find} />}
      <Form method="post" preventScrollReset key={server.tools.map(({ hash, state }) => hash + state).join()}>
        <input type="hidden" name="id" value={server.id} />
        {find && <input type="hidden" name="find" value={find} />}
        {pageInfo.page > 1 && <input type="hidden" name="toolPage" value={pageInfo.page} />}
        {decidable.map((tool) => (
          <input key={tool.name} type="hidden" name="decided" value={versionOf(tool)} />
        ))}
        {(isLong || decidable.length > 1) && (
          <div className="flex flex-wrap items-center justify-between gap-2">
            <p className="text-muted text-sm tabular-nums">
              {counts.allowed} of {countOf(counts.tools, "tool")} allowed
              {find && `, ${formatCount(pageInfo.total)} found`}
            </p>
            {decidable.length > 0 && (
              <div className="flex gap-2">
                <Button size="sm" name="intent" value="allow-shown">
                  Allow Shown
                </Button>
                <Button size="sm" name="intent" value="deny-shown">
                  Deny Shown
                </Button>
              </div>
            )}
          </div>
        )}
        {server.tools.length === 0 ? (
          <p className="py-3 text-muted">
            {find ? "No tool has these words in its name or description." : "The server lists no tools."}
          </p>
        ) : (
          <ul className="flex flex-col">
            {server.tools.map((tool, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two tools of a server may have one name.
              <li key={`${tool.name} ${index}`} className="border-line py-3 not-last:border-b">
                <ToolChoice tool={tool} />
              </li>
            ))}
          </ul>
        )}
        <Pagination pageInfo={pageInfo} label="Tools" to={pageTo} />
        <ServerPrompts prompts={server.prompts} />
        <ServerResources resources={server.resources} />
        <FormActions closeTo={closeTo} intent="decide-tools" label="Save Changes" />
      </Form>
    </>
  );
}

/** Lists that need no search. */
const FEW_TOOLS = 10;

const versionOf = ({ name, hash }: McpToolState) => `${name}#${hash}`;

function FindTools({ id, find }: { id: string; find: string }) {
  return (
    <Form role="search" preventScrollReset className="flex flex-wrap gap-2">
      <input type="hidden" name="tab" value="installed" />
      <input type="hidden" name="dialog" value="tools" />
      <input type="hidden" name="id" value={id} />
      <SearchInput
        key={find}
        name="find"
        defaultValue={find}
        maxLength={100}
        aria-label="Search tools"
        placeholder="Search tools"
        className="min-w-40 flex-1"
      />
      <Button>Search</Button>
    </Form>
  );
}

const STATES: Record<McpToolState["state"], { label: string; tone: Tone }> = {
  new: { label: "New", tone: "info" },
  allowed: { label: "Allowed", tone: "success" },
  denied: { label: "Denied", tone: "neutral" },
  changed: { label: "Changed", tone: "warning" },
  unsupported: { label: "Not supported", tone: "neutral" },
};

/** With its changes since approval. */
function ToolChoice({ tool }: { tool: McpToolState }) {
  const { label, tone } = STATES[tool.state];
  return (
    <>
      <Checkbox
        name="allowed"
        value={versionOf(tool)}
        defaultChecked={tool.state === "allowed"}
        disabled={tool.state === "unsupported"}
        label={
          <span className="flex flex-wrap items-center gap-2">
            <span className="break-all font-mono">{tool.name}</span>
            <Badge tone={tone}>{label}</Badge>
          </span>
        }
        hint={<span className="whitespace-pre-line break-words">{tool.description || "No description"}</span>}
      />
      {tool.reason && (
        <p className="mb-1 ml-6.5 flex items-start gap-1.5 text-muted text-xs">
          <Info className="mt-px size-3.5 shrink-0" />
          <span className="min-w-0 break-words">
            {tool.state === "unsupported"
              ? `It can't be allowed. ${tool.reason}`
              : `Only the server checks its inputs. ${tool.reason}`}
          </span>
        </p>
      )}
      {tool.warnings.length > 0 && (
        <p className="mb-1 ml-6.5 flex items-start gap-1.5 text-warning-ink text-xs">
          <TriangleAlert className="mt-px size-3.5 shrink-0" />
          Possible instructions to a model: {tool.warnings.join(", ").toLowerCase()}.
        </p>
      )}
      {tool.changes && (
        <div className="mb-1 ml-6.5 flex flex-col gap-2">
          <Difference label={`Changes of the description of ${tool.name}`} lines={tool.changes.description} />
          <Difference
            label={`Changes of the input schema of ${tool.name}`}
            lines={tool.changes.schema}
            mono
          />
        </div>
      )}
      {tool.state !== "unsupported" && (
        <details className="ml-6.5 text-xs">
          <summary className="disclosure inline-flex min-h-8 cursor-pointer items-center text-muted hover:text-ink pointer-coarse:min-h-11">
            Input schema of {tool.name}
          </summary>
          <pre className="mt-1 whitespace-pre-wrap break-words rounded-md border border-line bg-sunken p-2 font-mono">
            {JSON.stringify(tool.inputSchema, null, 2)}
          </pre>
        </details>
      )}
    </>
  );
}

const MARKS: Record<DifferenceLine["kind"], { sign: string; word: string; colours: string }> = {
  same: { sign: " ", word: "", colours: "" },
  added: { sign: "+", word: "Added: ", colours: "bg-success-soft text-success-ink" },
  removed: { sign: "−", word: "Removed: ", colours: "bg-danger-soft text-danger-ink" },
  gap: { sign: "…", word: "", colours: "text-muted" },
};

function Difference({ label, lines, mono }: { label: string; lines: DifferenceLine[]; mono?: boolean }) {
  if (lines.length === 0) return null;
  return (
    <ol
      aria-label={label}
      className={`overflow-hidden rounded-md border border-line text-xs ${mono ? "font-mono" : ""}`}
    >
      {lines.map(({ kind, text }, index) => {
        const { sign, word, colours } = MARKS[kind];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one comparison never move.
          <li key={index} className={`flex gap-2 px-2 py-0.5 ${colours}`}>
            <span aria-hidden="true" className="w-3 shrink-0 font-mono">
              {sign}
            </span>
            <span className="min-w-0 whitespace-pre-wrap break-words">
              {word && <span className="sr-only">{word}</span>}
              {kind === "gap" ? <span className="sr-only">Lines without changes</span> : text}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
