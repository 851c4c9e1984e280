import type { Client } from "@modelcontextprotocol/client";
import { MAX_RESULT_FILES, type NewFile, type ResultFile } from "~/ai/tools/files/result-files.shared";
import type { AskedQuestion } from "~/ai/tools/question.schema";
import { QUESTION_MINUTES } from "~/ai/tools/question.shared";
import type { Tool } from "~/ai/tools/tool.shared";
import { AppError } from "~/core/errors";
import { clip, wellFormedValue } from "~/core/well-formed";
import { authorise } from "~/platform/rights/authorization.server";
import { allowedTools } from "../catalog.server";
import type { McpServerRow, McpTool } from "../plugins.repo.server";
import { type AskFor, callAsking } from "./asking-calls.server";
import { toQuestion } from "./elicitation";
import { QUESTIONS_TIMEOUT } from "./http-transport.server";
import { leavePlace, withMcpClient } from "./mcp-client.server";
import { describeRequest, followRefusals } from "./new-client.server";
import { targetFor } from "./oauth/credentials.server";

const TIMEOUT = 60_000;
const OUTPUT_LIMIT = 60_000;

type Context = Parameters<Tool["run"]>[1];

function listResources({ resources }: McpServerRow) {
  return resources.map(({ uri, name, description, template }) => ({
    uri,
    name,
    ...(description ? { description } : {}),
    ...(template ? { template } : {}),
  }));
}

/** Bounded like a tool's result. */
async function readResource(server: McpServerRow, input: Record<string, unknown>, context: Context) {
  const { uri } = input;
  if (typeof uri !== "string" || uri === "") return { resources: listResources(server) };
  if (!/^[a-z][a-z0-9+.-]*:/i.test(uri)) throw new AppError("invalid", `"${uri.slice(0, 100)}" isn't a URI.`);
  const { signal } = context;
  const { contents } = await withMcpClient(targetFor(server, context.actor), signal, (client) =>
    client.readResource({ uri }, { signal, timeout: TIMEOUT, cacheMode: "bypass" }),
  );
  const content = contents.map((resource) => ({ type: "resource", resource }));
  return toOutput(server.title, { content }, context.keepFile);
}

async function callTool(
  server: McpServerRow,
  { name, inputSchema }: Pick<McpTool, "name" | "inputSchema">,
  input: Record<string, unknown>,
  { actor, signal, report, sending, keepFile, ask }: Context,
) {
  const { title } = server;
  // Questions hold the tool's own time limit, which stops the call.
  const timeout = ask ? TIMEOUT + QUESTIONS_TIMEOUT : TIMEOUT;
  const options = {
    signal,
    timeout,
    resetTimeoutOnProgress: true,
    maxTotalTimeout: timeout,
    onprogress: report,
    allowInputRequired: true as const,
    // Says which parameters the server wants as headers too; a connection that hasn't listed its tools can't know.
    toolDefinition: { name, inputSchema: { ...inputSchema, type: "object" as const } },
  };
  let refused: () => string | undefined = () => undefined;
  const notes: string[] = [];
  const askFor = ask && askerFor(server, ask, notes);
  try {
    const work = async (client: Client) => {
      await sending();
      refused = followRefusals(client);
      const send = (more: object) => client.callTool({ name, arguments: input, ...more }, options);
      const caller = { person: ask && actor.userId, ask: askFor };
      return callAsking(client, caller, () => callAnswering(title, send, askFor));
    };
    const result = await withMcpClient(targetFor(server, actor), signal, work, ask !== undefined);
    assertComplete(title, result);
    const output = await toOutput(title, result, keepFile);
    return notes.length > 0 ? { ...output, text: [output.text, ...notes].join("\n\n") } : output;
  } catch (error) {
    const asked = refused();
    const reasons = [...notes, ...(asked === undefined ? [] : [notSupported(title, asked)])];
    if (!(error instanceof AppError) || reasons.length === 0) throw error;
    const said = error.message.replace(/(?<![.!?])$/, ".");
    throw new AppError(error.code, [said, ...reasons].join(" "), { cause: error });
  }
}

/** @param notes what the model is told beside the result */
function askerFor(server: McpServerRow, ask: NonNullable<Context["ask"]>, notes: string[]): AskFor {
  return async (params, withdrawn) => {
    let question: AskedQuestion;
    try {
      question = await toQuestion(server.title, params);
    } catch (error) {
      if (error instanceof AppError) notes.push(error.message);
      throw error;
    }
    const takePlace = leavePlace(server);
    try {
      const { outcome, content = {} } = await ask(question, withdrawn);
      if (outcome === "expired")
        notes.push(`Nobody answered the question of ${server.title} within ${QUESTION_MINUTES} minutes.`);
      if (outcome === "accepted") return { action: "accept", ...(question.fields && { content }) };
      return { action: outcome === "declined" ? "decline" : "cancel" };
    } finally {
      takePlace();
    }
  };
}

const QUESTION = "elicitation/create";
/** The code of an error that names links to open before the call is sent again. */
const LINKS_NEEDED = -32_042;

type Called = Awaited<ReturnType<Client["callTool"]>>;

/** What a result asks for before the call is sent again, if all of it can be asked. */
function questionsOf(result: object): [string, unknown][] | undefined {
  const { resultType, inputRequests } = result as { resultType?: unknown; inputRequests?: unknown };
  if (resultType !== "input_required") return undefined;
  const entries = Object.entries(
    (inputRequests ?? {}) as Record<string, { method?: unknown; params?: unknown }>,
  );
  const isAsked = entries.length > 0 && entries.every(([, one]) => one?.method === QUESTION);
  return isAsked ? entries.map(([key, { params }]) => [key, params]) : undefined;
}

/** Asks for the links that an error names. @throws the error itself, or AppError unless all were opened */
async function openLinks(title: string, error: unknown, askFor: AskFor): Promise<void> {
  const { code, data } = error as { code?: unknown; data?: { elicitations?: unknown } };
  const links = code === LINKS_NEEDED && Array.isArray(data?.elicitations) ? data.elicitations : [];
  if (links.length === 0) throw error;
  for (const link of links)
    if ((await askFor({ mode: "url", ...link })).action !== "accept")
      throw new AppError("unprocessable", `${title} needs a link to be opened first, and it wasn't.`);
}

/** Sends a call again with what the person answers, where its result or error asks instead of a request. */
async function callAnswering(
  title: string,
  send: (more: object) => Promise<Called>,
  askFor: AskFor | undefined,
): Promise<Called> {
  let more: object = {};
  // The number of questions is limited, and so are the rounds.
  for (;;) {
    try {
      const result = await send(more);
      const questions = askFor && questionsOf(result);
      if (!askFor || !questions) return result;
      const inputResponses: Record<string, unknown> = {};
      for (const [key, params] of questions) inputResponses[key] = await askFor(params);
      const { requestState } = result as { requestState?: unknown };
      more = { inputResponses, ...(requestState !== undefined && { requestState }) };
    } catch (error) {
      if (!askFor) throw error;
      await openLinks(title, error, askFor);
    }
  }
}

const notSupported = (title: string, asked: string) => `${title} asked for ${asked}, which isn't supported.`;

/** Since 2026-07-28 a server asks by a result. @throws AppError that names what it asks for */
function assertComplete(title: string, result: object): void {
  const { resultType, inputRequests } = result as { resultType?: unknown; inputRequests?: unknown };
  if (resultType !== "input_required") return;
  const methods = Object.values(inputRequests ?? {}).map((one) =>
    String((one as { method?: unknown } | null)?.method),
  );
  const asked = [...new Set(methods.slice(0, 10).map(describeRequest))].join(" and ") || "more input";
  throw new AppError("unprocessable", notSupported(title, asked));
}

/** Effect `outside`, whatever the server claims. */
export function toolsOfServer(server: McpServerRow): readonly Tool[] {
  return allowedTools(server).map((tool) => ({
    name: `${server.id}.${tool.name}`,
    title: tool.title,
    description: tool.description,
    effect: "outside" as const,
    input: tool.inputSchema,
    isCheckedByServer: true as const,
    timeoutMs: TIMEOUT,
    outputLimit: OUTPUT_LIMIT,
    pluginId: server.id,
    announcesSending: true,
    async run(input, context) {
      authorise(context.actor, "chat.use");
      const values = input as Record<string, unknown>;
      return tool.reads ? readResource(server, values, context) : callTool(server, tool, values, context);
    },
  }));
}

const TEXT_LIMIT = 20_000;
const MAX_PARTS = 50;

interface Part {
  type: string;
  text?: unknown;
  mimeType?: unknown;
  data?: unknown;
  uri?: unknown;
  name?: unknown;
  resource?: { uri?: unknown; text?: unknown; mimeType?: unknown; blob?: unknown };
}

const sizeOf = (base64: unknown) => `${Math.ceil((String(base64 ?? "").length * 3) / 4 / 1000)} kB`;
const clipText = (value: unknown, max = 300) => clip(String(value ?? "").toWellFormed(), max);

const BASE64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/;

function fileOf({ type, data, mimeType, resource }: Part): NewFile | undefined {
  const base64 = type === "resource" ? resource?.blob : data;
  if (typeof base64 !== "string" || !BASE64.test(base64)) return undefined;
  const uri = clipText(resource?.uri).split(/[?#]/, 1)[0] ?? "";
  const named = clipText(mimeType ?? resource?.mimeType, 60);
  return {
    name: uri.split("/").at(-1) || named.split("/")[0] || "file",
    type: named,
    bytes: Buffer.from(base64, "base64"),
  };
}

/** Omitted files are named in the text. */
async function keepFiles(parts: readonly Part[], keep: Context["keepFile"]): Promise<ResultFile[]> {
  const files: ResultFile[] = [];
  for (const part of parts) {
    const file = files.length < MAX_RESULT_FILES ? fileOf(part) : undefined;
    const stored = file && (await keep(file));
    if (stored) files.push(stored);
  }
  return files;
}

function describePart(part: Part): string {
  switch (part.type) {
    case "text":
      return clipText(part.text, TEXT_LIMIT + 1);
    case "image":
    case "audio":
      return `[${part.type}: ${clipText(part.mimeType, 60)}, ${sizeOf(part.data)}]`;
    case "resource_link":
      return `[resource: ${clipText(part.name, 100)} ${clipText(part.uri)}]`;
    case "resource": {
      const { uri, text, mimeType, blob } = part.resource ?? {};
      if (text !== undefined) return `[resource: ${clipText(uri)}]\n${clipText(text, TEXT_LIMIT + 1)}`;
      return `[resource: ${clipText(uri)}, ${clipText(mimeType, 60)}, ${sizeOf(blob)}]`;
    }
    default:
      return `[${clipText(part.type, 40)}]`;
  }
}

/**
 * Bounded JSON; files are stored, never linked.
 * @throws AppError `unprocessable` with the server's message if the tool failed
 */
async function toOutput(
  title: string,
  result: { content?: unknown; isError?: unknown; structuredContent?: unknown },
  keepFile: Context["keepFile"],
) {
  const parts = (Array.isArray(result.content) ? result.content : []) as Part[];
  const whole = parts.slice(0, MAX_PARTS).map(describePart).filter(Boolean).join("\n\n");
  const text = clip(whole, TEXT_LIMIT);
  if (result.isError === true)
    throw new AppError("unprocessable", `${title}: ${clip(text, 1000) || "the tool failed"}`);
  const structured = wellFormedValue(result.structuredContent);
  const files = await keepFiles(parts.slice(0, MAX_PARTS), keepFile);
  const fits = structured !== undefined && JSON.stringify(structured).length <= TEXT_LIMIT;
  return {
    text,
    ...(fits ? { structured } : {}),
    ...(files.length > 0 ? { files } : {}),
    ...(text.length < whole.length || parts.length > MAX_PARTS ? { truncated: true } : {}),
  };
}
