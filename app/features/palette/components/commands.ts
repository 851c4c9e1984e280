import {
  Activity,
  Bot,
  Brain,
  Cable,
  Columns3,
  FileSearch,
  LayoutDashboard,
  type LucideIcon,
  MessageSquare,
  Puzzle,
  Settings,
  UserPlus,
  Workflow,
} from "lucide-react";

export interface Command {
  id: string;
  group: "Actions" | "Navigation";
  name: string;
  to: string;
  icon: LucideIcon;
  /** The key that runs it together with Ctrl or Cmd. */
  key?: string;
  /** The letter that runs it after `g`: browsers keep some of the combinations above for themselves. */
  letter?: string;
  /** Other words a person may look for. */
  keywords: string;
}

/** Every command, in the order of the palette and of its page. */
export const commands: readonly Command[] = [
  {
    id: "new-workflow",
    group: "Actions",
    name: "Create new workflow",
    to: "/workflows",
    icon: Workflow,
    key: "n",
    letter: "n",
    keywords: "add automation",
  },
  {
    id: "start-chat",
    group: "Actions",
    name: "Start AI chat",
    to: "/chat",
    icon: MessageSquare,
    key: "c",
    letter: "c",
    keywords: "ask conversation message",
  },
  {
    id: "search-documents",
    group: "Actions",
    name: "Search RAG documents",
    to: "/rag",
    icon: FileSearch,
    key: "d",
    letter: "r",
    keywords: "find knowledge collection",
  },
  {
    id: "add-persona",
    group: "Actions",
    name: "Add new persona",
    to: "/personas",
    icon: UserPlus,
    keywords: "create prompt",
  },
  {
    id: "configure-provider",
    group: "Actions",
    name: "Configure provider",
    to: "/providers",
    icon: Cable,
    keywords: "set up model openai anthropic google",
  },
  {
    id: "compare-models",
    group: "Actions",
    name: "Compare models",
    to: "/compare",
    icon: Columns3,
    keywords: "side by side prompt fastest cheapest",
  },
  ...[
    { name: "Dashboard", to: "/", icon: LayoutDashboard, letter: "d", keywords: "home overview" },
    { name: "AI Chat", to: "/chat", icon: MessageSquare, letter: "c", keywords: "conversation" },
    { name: "Workflows", to: "/workflows", icon: Workflow, letter: "w", keywords: "automation" },
    { name: "Personas", to: "/personas", icon: Bot, letter: "p", keywords: "prompts" },
    { name: "RAG & Memory", to: "/rag", icon: Brain, letter: "r", keywords: "documents knowledge" },
    { name: "Providers", to: "/providers", icon: Cable, letter: "m", keywords: "models" },
    { name: "Extensions", to: "/extensions", icon: Puzzle, letter: "e", keywords: "plugins marketplace" },
    { name: "Audit", to: "/audit", icon: Activity, letter: "a", keywords: "log activity security" },
    { name: "Settings", to: "/settings", icon: Settings, letter: "s", keywords: "configure keys branding" },
  ].map((command, index) => ({
    ...command,
    id: `go-${command.name.toLowerCase().replace(/[^a-z]+/g, "-")}`,
    group: "Navigation" as const,
    key: String(index + 1),
  })),
];

/** The commands in which every word of the query is found. */
export function matchCommands(query: string): Command[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return commands.filter(({ name, keywords }) => {
    const text = `${name} ${keywords}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** The command of a key pressed together with Ctrl or Cmd. */
export function commandOfKey(key: string): Command | undefined {
  return commands.find((command) => command.key === key.toLowerCase());
}

/** The command of a letter pressed after `g`. */
export function commandOfLetter(letter: string): Command | undefined {
  return commands.find((command) => command.letter === letter.toLowerCase());
}
