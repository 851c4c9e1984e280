/** Of the icons that `plugin-icon.tsx` draws. */
export const PLUGIN_ICONS = [
  "Bell",
  "Braces",
  "Calculator",
  "CalendarClock",
  "ChartColumn",
  "CircleDot",
  "Code",
  "Database",
  "EyeOff",
  "Globe",
  "Languages",
  "MessageSquare",
  "Plug",
  "Rss",
  "Shield",
  "ShieldAlert",
  "Store",
  "Table",
] as const;
export type PluginIconName = (typeof PLUGIN_ICONS)[number];
