import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { listRenderings, putRendering } from "./chat.repo.server";
import type { ChatMessage } from "./chat.schema";
import { RENDER_TOOK_TOO_LONG, renderInThread } from "./markdown/render-pool.server";
import { type Rendering, type RenderTask, renderPlain, StoredRendering } from "./markdown/render-task";
import { TREE_VERSION } from "./markdown/tree.shared";

/** Maximum elements per page, newest messages first; the rest is plain text. */
const PAGE_NODES = 24_000;
const PAGE_CHARACTERS = 1_000_000;

/** `RenderedMessage` as JSON, by message id. */
export type Renderings = Record<string, string>;

type Rendered = Pick<ChatMessage, "id" | "role" | "status" | "parts">;

const taskOf = ({ parts }: Rendered): RenderTask => ({
  texts: parts.map((part) => (part.type === "text" ? part.text : null)),
});

const lengthOf = ({ texts }: RenderTask) => texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);

const isFinished = ({ status }: Rendered) => status !== "streaming" && status !== "waiting";

function storedOf(messages: readonly Rendered[]): Map<string, Rendering> {
  const ids = messages.filter(isFinished).map(({ id }) => id);
  return new Map(listRenderings(db(), ids, TREE_VERSION).map((row) => [row.messageId, row]));
}

const isReadable = (json: string): boolean => {
  try {
    return StoredRendering.safeParse(JSON.parse(json)).success;
  } catch {
    return false;
  }
};

function storeRendering(message: Rendered, { json: trees, nodes }: Rendering): void {
  if (!isFinished(message)) return;
  const { id } = message;
  transaction((tx) => putRendering(tx, { messageId: id, version: TREE_VERSION, trees, nodes }));
}

async function render(message: Rendered): Promise<Rendering> {
  const task = taskOf(message);
  try {
    const rendering = await renderInThread(task);
    storeRendering(message, rendering);
    return rendering;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    log.warn("a message is shown as plain text", { messageId: message.id, error });
    const plain = renderPlain(task);
    // It would time out on each view.
    if (error.message === RENDER_TOOK_TOO_LONG) storeRendering(message, plain);
    return plain;
  }
}

/**
 * Renders the Markdown of messages in a worker and stores the result. Beyond the page's limits, the oldest messages are
 * plain text.
 * @param messages of one page, in order; the caller has checked access
 */
export async function renderMessages(messages: readonly Rendered[]): Promise<Renderings> {
  const answers = messages.filter(({ role }) => role === "assistant");
  const stored = storedOf(answers);
  const renderings: Renderings = {};
  let nodes = PAGE_NODES;
  let characters = PAGE_CHARACTERS;
  for (const message of answers.toReversed()) {
    const task = taskOf(message);
    const found = nodes > 0 ? stored.get(message.id) : undefined;
    let rendering = found && isReadable(found.json) ? found : undefined;
    if (!rendering && nodes > 0 && lengthOf(task) <= characters) {
      characters -= lengthOf(task);
      rendering = await render(message);
    }
    if (!rendering || rendering.nodes > nodes) rendering = renderPlain(task);
    nodes -= rendering.nodes;
    renderings[message.id] = rendering.json;
  }
  return renderings;
}
