import type { CommandFacts, ScreenFacts } from "../screen-facts.schema";

export const screens = [
  {
    name: "AI Chat",
    to: "/chat",
    icon: "MessageSquare",
    side: 2,
    covers: ["/compare", "/prompts"],
    key: "2",
    letter: "c",
    keywords: "conversation",
  },
] as const satisfies readonly ScreenFacts[];

export const commands = [
  {
    id: "start-chat",
    name: "Start AI chat",
    to: "/chat",
    icon: "MessageSquare",
    key: "c",
    letter: "c",
    keywords: "ask conversation message",
    needs: "chat.use",
  },
] as const satisfies readonly CommandFacts[];
