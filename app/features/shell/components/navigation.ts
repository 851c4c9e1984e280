import {
  Activity,
  Bot,
  Brain,
  LayoutDashboard,
  type LucideIcon,
  MessageSquare,
  Puzzle,
  Settings,
  Workflow,
} from "lucide-react";

export interface NavigationItem {
  name: string;
  to: string;
  icon: LucideIcon;
}

/** The side navigation, top to bottom; Settings stands apart at the bottom. */
export const items: readonly NavigationItem[] = [
  { name: "Dashboard", to: "/", icon: LayoutDashboard },
  { name: "AI Chat", to: "/chat", icon: MessageSquare },
  { name: "Workflows", to: "/workflows", icon: Workflow },
  { name: "Extensions", to: "/extensions", icon: Puzzle },
  { name: "Personas", to: "/personas", icon: Bot },
  { name: "RAG & Memory", to: "/rag", icon: Brain },
  { name: "Audit", to: "/audit", icon: Activity },
];

export const settings: NavigationItem = { name: "Settings", to: "/settings", icon: Settings };
