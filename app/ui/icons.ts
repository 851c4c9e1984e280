import {
  Activity,
  Bot,
  Brain,
  Cable,
  Columns3,
  FileSearch,
  LayoutDashboard,
  MessageSquare,
  MessageSquareDashed,
  Puzzle,
  Settings,
  UserPlus,
  Workflow,
} from "lucide-react";

/** By name, as facts don't import components. */
export const icons = {
  Activity,
  Bot,
  Brain,
  Cable,
  Columns3,
  FileSearch,
  LayoutDashboard,
  MessageSquare,
  MessageSquareDashed,
  Puzzle,
  Settings,
  UserPlus,
  Workflow,
};
