import type { Permission } from "./permissions";

interface PaletteEntry {
  name: string;
  to: string;
  /** A name of `ui/icons`. */
  icon: string;
  /** With Ctrl or Cmd; of a screen also its position in the palette. */
  key?: string;
  /** After `g`, as browsers reserve some combinations. */
  letter?: string;
  keywords: string;
  needs?: Permission;
  /** Path of the switch that turns it off. */
  setting?: string;
  /** What is posted to `to`, which is else a page. */
  values?: Readonly<Record<string, string>>;
  /** Whether the answer to `values` is another page. */
  leaves?: boolean;
}

interface ScreenEntry extends PaletteEntry {
  /** Position in the navigation from 1; palette only if absent. */
  side?: number | "bottom";
  /** Other paths that highlight it. */
  covers?: readonly string[];
  letter: string;
}

/** The screens of navigation and palette. Every page loads this file. */
export const screens = [
  {
    name: "Dashboard",
    to: "/",
    icon: "LayoutDashboard",
    side: 1,
    key: "1",
    letter: "d",
    covers: ["/usage"],
    keywords: "home overview usage tokens spend cost errors",
  },
  {
    name: "Workflows",
    to: "/workflows",
    icon: "Workflow",
    side: 3,
    key: "3",
    letter: "w",
    keywords: "automation",
  },
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
  {
    name: "RAG & Memory",
    to: "/rag",
    icon: "Brain",
    side: 6,
    key: "5",
    letter: "r",
    keywords: "documents knowledge",
  },
  {
    name: "Personas",
    to: "/personas",
    icon: "Bot",
    side: 5,
    covers: ["/skills", "/evaluations"],
    key: "4",
    letter: "p",
    keywords: "prompts skills evaluations",
  },
  {
    name: "Providers",
    to: "/providers",
    icon: "Cable",
    key: "6",
    letter: "m",
    keywords: "models",
    needs: "providers.manage",
  },
  {
    name: "Extensions",
    to: "/extensions",
    icon: "Puzzle",
    side: 4,
    key: "7",
    letter: "e",
    keywords: "plugins marketplace",
  },
  {
    name: "Audit",
    to: "/audit",
    icon: "Activity",
    side: 7,
    key: "8",
    letter: "a",
    keywords: "log activity security",
  },
  {
    name: "Settings",
    to: "/settings",
    icon: "Settings",
    side: "bottom",
    key: "9",
    letter: "s",
    keywords: "configure keys branding",
  },
] as const satisfies readonly ScreenEntry[];

export const commands = [
  {
    id: "new-workflow",
    name: "Create new workflow",
    to: "/workflows",
    icon: "Workflow",
    key: "n",
    letter: "n",
    keywords: "add automation",
    needs: "workflows.write",
  },
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
  {
    id: "search-documents",
    name: "Search RAG documents",
    to: "/rag",
    icon: "FileSearch",
    key: "d",
    letter: "r",
    keywords: "find knowledge collection",
  },
  {
    id: "add-persona",
    name: "Add new persona",
    to: "/personas",
    icon: "UserPlus",
    keywords: "create prompt",
    needs: "personas.write",
  },
  {
    id: "configure-provider",
    name: "Configure provider",
    to: "/providers",
    icon: "Cable",
    keywords: "set up model openai anthropic google",
    needs: "providers.manage",
  },
  {
    id: "compare-models",
    name: "Compare models",
    to: "/compare",
    icon: "Columns3",
    keywords: "side by side prompt fastest cheapest",
    needs: "chat.use",
  },
  {
    id: "evaluations",
    name: "Evaluate models and prompts",
    to: "/evaluations",
    icon: "Columns3",
    keywords: "test questions judge ratings",
  },
  {
    id: "temporary-chat",
    name: "Start temporary chat",
    to: "/chat/temporary",
    icon: "MessageSquareDashed",
    keywords: "private incognito conversation not stored",
    needs: "chat.use",
    setting: "security.allowTemporaryChats",
  },
  {
    id: "invite-member",
    name: "Invite member",
    to: "/settings/members?dialog=invite",
    icon: "UserPlus",
    keywords: "add person team user email",
    needs: "members.manage",
  },
  {
    id: "new-token",
    name: "Create API token",
    to: "/settings/profile?dialog=new-token",
    icon: "Cable",
    keywords: "new key program gateway access",
  },
  {
    id: "prompts",
    name: "Open prompt library",
    to: "/prompts",
    icon: "MessageSquare",
    keywords: "saved templates slash",
  },
  {
    id: "light-theme",
    name: "Use light theme",
    to: "/theme",
    values: { theme: "light" },
    icon: "Sun",
    keywords: "appearance bright day mode",
  },
  {
    id: "dark-theme",
    name: "Use dark theme",
    to: "/theme",
    values: { theme: "dark" },
    icon: "Moon",
    keywords: "appearance night mode",
  },
  {
    id: "system-theme",
    name: "Use the system's theme",
    to: "/theme",
    values: { theme: "auto" },
    icon: "Monitor",
    keywords: "appearance automatic mode",
  },
  {
    id: "sign-out",
    name: "Sign out",
    to: "/logout",
    values: {},
    leaves: true,
    icon: "LogOut",
    keywords: "log out leave end session",
  },
] as const satisfies readonly (PaletteEntry & { id: string })[];
