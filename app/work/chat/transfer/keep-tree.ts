import { count, type ExportedMessage, type ImportedMessage, LEFT_OUT } from "./imported-conversation";

const MAX_MESSAGES = 5_000;
/** Characters of one message. */
const MAX_TEXT_LENGTH = 200_000;
/** Characters of a conversation: each branch within an answer repeats the text before it. */
const MAX_TOTAL_LENGTH = 20_000_000;

export interface ExportNode {
  id: string;
  parent: string | null;
  message: ExportedMessage | undefined;
}

interface TreeMessage extends ImportedMessage {
  hasReplies: boolean;
  order: number;
}

type PlacedMessage = ExportedMessage & { order: number };

/** The message that contains a node's text, and its text up to the node. */
interface Position {
  index: number;
  text: string;
}

/** Nodes from the first unplaced ancestor; an export may have missing or cyclic parents. */
function chainTo(
  last: string,
  nodes: ReadonlyMap<string, ExportNode>,
  isPlaced: (id: string) => boolean,
): ExportNode[] {
  const chain: ExportNode[] = [];
  const seen = new Set<string>();
  for (let id: string | null = last; id !== null && !seen.has(id) && !isPlaced(id); ) {
    seen.add(id);
    const node = nodes.get(id);
    if (!node) break;
    chain.push(node);
    id = node.parent;
  }
  return chain.reverse();
}

class Tree {
  readonly messages: TreeMessage[] = [];
  beyond = 0;
  #length = 0;
  /** Null before any kept message, undefined if not placed. */
  readonly #positions = new Map<string, Position | null>();

  isPlaced = (id: string): boolean => this.#positions.has(id);

  positionOf(id: string | null): Position | null {
    return (id === null ? null : this.#positions.get(id)) ?? null;
  }

  place({ id, parent, message }: ExportNode, order: number, leftOut: Map<string, number>): void {
    const before = this.positionOf(parent);
    this.#positions.set(id, before);
    if (!message) return;
    const text = message.text.trim();
    const position =
      text === "" || this.beyond > 0 ? undefined : this.#add({ ...message, text, order }, before);
    if (position) this.#positions.set(id, position);
    else if (text === "") count(leftOut, LEFT_OUT.empty);
    else this.beyond++;
  }

  /** Merges consecutive pieces of an answer. */
  #add(message: PlacedMessage, before: Position | null): Position | undefined {
    const last = before === null ? undefined : this.messages[before.index];
    if (before === null || !last || last.role !== "assistant" || message.role !== "assistant")
      return this.#append(message, before?.index ?? null);
    const text = `${before.text}\n\n${message.text}`;
    if (last.hasReplies || last.text !== before.text) return this.#append({ ...message, text }, last.parent);
    if (!this.#fits(message.text)) return undefined;
    last.text = text;
    return { index: before.index, text };
  }

  #append(message: PlacedMessage, parent: number | null): Position | undefined {
    if (this.messages.length >= MAX_MESSAGES || !this.#fits(message.text)) return undefined;
    const parentMessage = parent === null ? undefined : this.messages[parent];
    if (parentMessage) parentMessage.hasReplies = true;
    const index = this.messages.push({ ...message, parent, hasReplies: false }) - 1;
    return { index, text: message.text };
  }

  #fits(text: string): boolean {
    if (this.#length + text.length > MAX_TOTAL_LENGTH) return false;
    this.#length += text.length;
    return true;
  }
}

/** Parents first, then by time, then in export order, so that versions have an order. */
function byTime(tree: readonly TreeMessage[], shown: number): { messages: ImportedMessage[]; shown: number } {
  const times: number[] = [];
  const orders: number[] = [];
  for (const { createdAt, parent, order } of tree) {
    const after = parent === null ? 0 : (times[parent] ?? 0);
    times.push(Math.max(createdAt ?? after, after));
    orders.push(Math.max(order, parent === null ? 0 : (orders[parent] ?? 0)));
  }
  const compare = (values: readonly number[], a: number, b: number) => (values[a] ?? 0) - (values[b] ?? 0);
  const order = tree
    .map((_, index) => index)
    .sort((a, b) => compare(times, a, b) || compare(orders, a, b) || a - b);
  const positions = new Map(order.map((from, to) => [from, to]));
  const positionOf = (index: number) => positions.get(index) ?? 0;
  const messages = order.flatMap((index) => {
    const message = tree[index];
    if (!message) return [];
    const { hasReplies: _, order: __, parent, ...rest } = message;
    return [{ ...rest, parent: parent === null ? null : positionOf(parent) }];
  });
  return { messages, shown: positionOf(shown) };
}

/**
 * Collects the messages of an export that have text, from all branches, truncated to their limit. If there are too many,
 * those of the export's active branch come first.
 * @param active the last node of the export's active branch; without a known one, the last of all
 */
export function keepTree(
  nodes: ReadonlyMap<string, ExportNode>,
  active: string | null | undefined,
  leftOut: Map<string, number>,
): { messages: ImportedMessage[]; shown: number } {
  const tree = new Tree();
  const ids = [...nodes.keys()];
  const orders = new Map(ids.map((id, order) => [id, order]));
  const last = active && nodes.has(active) ? active : ids.at(-1);
  for (const id of last === undefined ? [] : [last, ...ids])
    for (const node of chainTo(id, nodes, tree.isPlaced)) tree.place(node, orders.get(node.id) ?? 0, leftOut);
  count(leftOut, LEFT_OUT.beyond, tree.beyond);
  const shown = tree.positionOf(last ?? null)?.index ?? tree.messages.length - 1;
  const truncated = tree.messages.map((message) => {
    if (message.text.length <= MAX_TEXT_LENGTH) return message;
    count(leftOut, LEFT_OUT.cut);
    return { ...message, text: message.text.slice(0, MAX_TEXT_LENGTH).toWellFormed() };
  });
  return byTime(truncated, shown);
}
