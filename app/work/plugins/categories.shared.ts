export const PLUGIN_CATEGORIES = [
  {
    id: "workspace",
    name: "Workspace",
    icon: "MessageSquare",
    description: "Work with conversations and notify your team",
  },
  { id: "web", name: "Web", icon: "Globe", description: "Read pages, feeds and sitemaps" },
  { id: "data", name: "Data", icon: "Table", description: "Query, transform and chart data" },
  {
    id: "developer",
    name: "Developer",
    icon: "Code",
    description: "Connect code hosts, APIs and MCP servers",
  },
  {
    id: "productivity",
    name: "Productivity",
    icon: "Calculator",
    description: "Calculate, convert units and work with dates",
  },
  {
    id: "security",
    name: "Security",
    icon: "Shield",
    description: "Find personal data and hidden instructions",
  },
] as const;

export const PLUGIN_CATEGORY_IDS = PLUGIN_CATEGORIES.map(({ id }) => id) as [
  PluginCategoryId,
  ...PluginCategoryId[],
];
export type PluginCategoryId = (typeof PLUGIN_CATEGORIES)[number]["id"];
