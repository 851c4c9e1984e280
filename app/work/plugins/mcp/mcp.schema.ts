import { z } from "zod";
import { hasPassword, isWebAddress } from "~/core/field.schema";
import type { PageInfo } from "~/ui/pagination";
import { ServerPrompt } from "~/work/prompts/prompts.schema";

const optionalText = (max: number) => z.string().trim().max(max).default("");

/** Body of `POST /api/mcp-servers`. */
export const McpServerInput = z
  .strictObject({
    title: z
      .string({ error: "Enter a name" })
      .trim()
      .min(1, "Enter a name")
      .max(60, "Use at most 60 characters"),
    url: optionalText(1000)
      .refine((value) => value === "" || isWebAddress(value), "Enter an http or https address")
      .refine((value) => !isWebAddress(value) || !hasPassword(value), {
        error: "Remove the user name and password from the address. Choose a key reference instead.",
      })
      .describe("Address of its streamable HTTP endpoint"),
    command: optionalText(60).describe("Name of a local command from MCP_COMMANDS, in place of an address"),
    keyId: optionalText(64).describe("ID of the key reference that signs in; blank for none"),
    header: optionalText(60)
      .refine((value) => /^[A-Za-z0-9-]*$/.test(value), "Use a header name such as X-Api-Key")
      .describe("Header that carries the key; Authorization with a bearer token where blank"),
    clientId: z
      .string()
      .trim()
      .max(500)
      .optional()
      .describe(
        "ID of the OAuth client that you registered at its sign-in; blank lets the console register itself",
      ),
    clientKeyId: z
      .string()
      .trim()
      .max(64)
      .optional()
      .describe(
        "ID of the key reference, bound to the sign-in's address, with that client's secret; blank for none",
      ),
  })
  .refine(({ clientId, clientKeyId }) => clientId || !clientKeyId, {
    path: ["clientId"],
    error: "Enter the client ID that belongs to the secret",
  })
  .refine(({ url, command }) => url !== "" || command !== "", {
    path: ["url"],
    error: "Enter the server's address or choose a local command",
  })
  .refine(({ url, command }) => url === "" || command === "", {
    path: ["url"],
    error: "Enter an address or choose a local command, not both",
  });
export type McpServerInput = z.infer<typeof McpServerInput>;

/** `gap` stands for unchanged lines. */
const DifferenceLine = z.object({ kind: z.enum(["same", "added", "removed", "gap"]), text: z.string() });
export type DifferenceLine = z.infer<typeof DifferenceLine>;

export const McpPromptInput = z.object({
  server: z.string().min(1).max(64),
  name: z.string().min(1).max(200),
  values: z
    .record(z.string().max(60), z.string().max(10_000, "Use at most 10,000 characters"))
    .default({})
    .describe("Values of its arguments"),
});
export type McpPromptInput = z.infer<typeof McpPromptInput>;

/** `changed`: different from what was approved. */
export const McpToolState = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  inputSchema: z.record(z.string(), z.unknown()),
  hash: z.string(),
  state: z.enum(["new", "allowed", "denied", "changed", "unsupported"]),
  reason: z
    .string()
    .nullable()
    .describe("Why it can't be allowed (`unsupported`), or why only its server checks its inputs"),
  /** The approved version, if different. */
  agreed: z.object({ description: z.string(), inputSchema: z.record(z.string(), z.unknown()) }).nullable(),
  changes: z
    .object({ description: z.array(DifferenceLine), schema: z.array(DifferenceLine) })
    .nullable()
    .describe("Lines that changed since then"),
  warnings: z.array(z.string()).describe("Signs that its description tries to instruct a model"),
});
export type McpToolState = z.infer<typeof McpToolState>;

const Accounts = z
  .enum(["shared", "personal"])
  .describe("Whose account the calls use: one for everyone, or each person's own");

/** Body of `PUT /api/mcp-servers/{id}/accounts`. */
export const McpAccountsInput = z.object({ accounts: Accounts });
export type McpAccountsInput = z.infer<typeof McpAccountsInput>;

export const McpOwnAccount = z.object({
  id: z.string().describe("ID of the MCP server"),
  title: z.string(),
  url: z.string(),
  connected: z.boolean(),
  issuer: z.string().nullable().describe("Where it signed in"),
  neededScope: z.string().nullable().describe("Scopes that calls lacked; connect again to grant them"),
});
export type McpOwnAccount = z.infer<typeof McpOwnAccount>;

export const McpServer = z.object({
  id: z.string(),
  title: z.string(),
  url: z.string().describe("Its address, or the name of its local command"),
  local: z.boolean().describe("Whether it is a local command"),
  server: z.object({ name: z.string(), version: z.string(), protocol: z.string() }).nullable(),
  checkedAt: z.iso.datetime().nullable(),
  error: z.string().nullable().describe("Why the last check failed"),
  tools: z.array(McpToolState),
  prompts: z.array(ServerPrompt),
  resources: z.array(
    z.object({
      uri: z.string(),
      name: z.string(),
      description: z.string(),
      mediaType: z.string(),
      template: z.boolean().describe("Its URI has `{names}` to be filled in"),
    }),
  ),
  account: z
    .object({
      connected: z.boolean(),
      issuer: z.string().nullable().describe("Where it signed in"),
      accounts: Accounts,
      neededScope: z.string().nullable().describe("Scopes that calls lacked; connect again to grant them"),
    })
    .nullable()
    .describe("The OAuth sign-in, if the server requires one: the shared account's, or your own"),
  sandbox: z
    .enum(["bubblewrap", "none"])
    .nullable()
    .describe("How a local command is isolated from this machine; null for an address"),
});
export type McpServer = z.infer<typeof McpServer>;

/** A server in the list of what is installed. */
export interface ServerSummary {
  /** Tools that may be called, of all that it has now. */
  allowed: number;
  total: number;
  checkedAt: string | null;
  /** Why the last check failed. */
  error: string | null;
}

const ToolVersions = z.array(z.string().max(200)).max(1000);

/** Body of `PUT /api/mcp-servers/{id}/tools`: allowed tools with the seen versions. */
export const McpDecisionsInput = z.object({
  allowed: ToolVersions.default([]).describe("`name#hash` of each allowed tool"),
  decided: ToolVersions.optional().describe(
    "`name#hash` of the tools that are decided about; the others stay as they are. Leave out to decide about all",
  ),
});
export type McpDecisionsInput = z.infer<typeof McpDecisionsInput>;

/** In the dialog of a server. */
export const TOOLS_PER_PAGE = 50;

/** A page of a server's tools, which the dialog shows. */
export const ServerToolsQuery = z.object({
  find: z.string().trim().max(100).default("").catch(""),
  toolPage: z.coerce.number().int().min(1).max(1000).default(1).catch(1),
});
export type ServerToolsQuery = z.infer<typeof ServerToolsQuery>;

/** The shown tools, of which the checked ones are allowed. */
export const McpDecisionsForm = ServerToolsQuery.extend({
  allowed: ToolVersions.default([]),
  decided: ToolVersions.default([]),
});

/** What the dialog of a server shows. */
export interface ServerTools {
  /** With the tools of the page. */
  server: McpServer;
  find: string;
  pageInfo: PageInfo;
  /** Of all its tools. */
  counts: { tools: number; allowed: number; changed: number };
}
