import type { TestServer } from "./server";

/** A fenced block of an answer. */
export const block = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\`\n`;

/** Begins a conversation of a member with these answers. @returns its id */
export async function talk(server: TestServer, ...answers: string[]): Promise<string> {
  const messages = answers.flatMap((content) => [
    { role: "user", content: "Draw it" },
    { role: "assistant", content },
  ]);
  const response = await server.ask("/api/ai/chat", {
    as: "member",
    json: {
      model: "quarterdeck-offline",
      tools: [],
      messages: [...messages, { role: "user", content: "Thanks" }],
    },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return response.headers.get("x-conversation-id") ?? "";
}
