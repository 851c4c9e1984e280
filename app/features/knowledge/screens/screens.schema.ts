import type { CommandFacts, ScreenFacts } from "~/features/screen-facts.schema";

export const screens = [
  {
    name: "RAG & Memory",
    to: "/rag",
    icon: "Brain",
    side: 6,
    key: "5",
    letter: "r",
    keywords: "documents knowledge",
  },
] as const satisfies readonly ScreenFacts[];

export const commands = [
  {
    id: "search-documents",
    name: "Search RAG documents",
    to: "/rag",
    icon: "FileSearch",
    key: "d",
    letter: "r",
    keywords: "find knowledge collection",
  },
] as const satisfies readonly CommandFacts[];
