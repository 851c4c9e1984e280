import { z } from "zod";
import { AppError } from "~/core/errors";
import { searchedWords } from "~/core/language/find-terms";
import { clip } from "~/core/well-formed";
import { listOwnConversations, readConversation } from "~/work/chat/conversations.service.server";
import { findConversations } from "~/work/chat/list/search.service.server";
import { definePlugin, definePluginTool, type PluginContext } from "../../plugin";

const TEXT_LIMIT = 30_000;
const MESSAGE_LIMIT = 4000;
/** What a search takes; it would leave out the others, and find conversations without them. */
const MAX_WORDS = 8;

/** Workflow outputs are shared, conversations private. */
function assertPerson({ actor }: PluginContext): void {
  if (actor.kind === "workflow" || actor.kind === "system")
    throw new AppError(
      "forbidden",
      "Conversations are private. A workflow can format a transcript, not read them.",
    );
}

/** As Markdown, without the oldest messages if too long. */
function toTranscript(messages: readonly { role: string; content: string }[]): {
  text: string;
  omitted: number;
} {
  const parts: string[] = [];
  let length = 0;
  for (const { role, content } of [...messages].reverse()) {
    const part = `**${role === "user" ? "User" : "Assistant"}:** ${clip(content, MESSAGE_LIMIT)}`;
    length += part.length;
    if (length > TEXT_LIMIT) break;
    parts.unshift(part);
  }
  return { text: parts.join("\n\n"), omitted: messages.length - parts.length };
}

export const chatWorkspace = definePlugin(
  {
    id: "chat-workspace",
    title: "Chat Workspace",
    icon: "MessageSquare",
    description:
      "Lets a model find and read your own earlier conversations, so that you can continue where you left off, and turns messages into a Markdown transcript. Other people's conversations and those with restricted documents stay closed.",
    tags: ["conversations", "history", "transcript", "sample"],
    version: "1.0.0",
    released: "2026-11-20",
    featured: true,
    categories: ["workspace"],
    requests: { effects: ["reads"] },
  },
  [
    definePluginTool({
      name: "list",
      title: "List conversations",
      description: "Lists the user's own conversations, the last used first, with ids and titles.",
      effect: "reads",
      hasOutsideContent: () => true,
      input: z.object({ limit: z.number().int().min(1).max(50).default(20) }),
      timeoutMs: 5000,
      async run({ limit }, context) {
        assertPerson(context);
        return { conversations: listOwnConversations(context.actor, { limit }).conversations };
      },
    }),
    definePluginTool({
      name: "find",
      title: "Find conversations",
      description: `Finds the user's own conversations whose title or messages contain every given word, at most ${MAX_WORDS} in all.`,
      effect: "reads",
      // Titles may come from an import, or from a model that read a page.
      hasOutsideContent: () => true,
      input: z.object({
        words: z
          .array(z.string().trim().min(1).max(100))
          .min(1)
          .max(MAX_WORDS)
          .refine(
            (words) => words.join(" ").split(/\s+/).length <= MAX_WORDS,
            `Use at most ${MAX_WORDS} words in all.`,
          ),
      }),
      timeoutMs: 15_000,
      async run({ words }, context) {
        assertPerson(context);
        return { conversations: await findConversations(context.actor, searchedWords(words.join(" ")), 20) };
      },
    }),
    definePluginTool({
      name: "read",
      title: "Read a conversation",
      description:
        "Reads one of the user's own conversations by its id, as a Markdown transcript of its latest messages.",
      effect: "reads",
      hasOutsideContent: (output) => (output as { outsideContent: boolean }).outsideContent,
      input: z.object({ id: z.string().min(1).max(64).describe("Id from list or find") }),
      timeoutMs: 5000,
      async run({ id }, context) {
        assertPerson(context);
        const { title, restricted, outsideContent, messages } = readConversation(context.actor, id);
        if (restricted)
          throw new AppError(
            "forbidden",
            "This conversation contains restricted documents. Open it in AI Chat instead.",
          );
        return { title, outsideContent, ...toTranscript(messages) };
      },
    }),
    definePluginTool({
      name: "transcript",
      title: "Format a transcript",
      description: "Turns a list of messages into a Markdown transcript.",
      effect: "reads",
      input: z.object({
        messages: z
          .array(z.object({ role: z.enum(["user", "assistant"]), content: z.string().max(20_000) }))
          .min(1)
          .max(200),
      }),
      timeoutMs: 5000,
      run: async ({ messages }) => toTranscript(messages),
    }),
  ],
);
