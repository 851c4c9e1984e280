import {
  Activity,
  Bot,
  Brain,
  Cable,
  Columns3,
  FileSearch,
  LayoutDashboard,
  MessageSquare,
  Puzzle,
  Settings,
  UserPlus,
  Workflow,
} from "lucide-react";

/** The icons that a feature's facts can name. Facts are data that the server reads, so they don't import components. */
export const icons = {
  Activity,
  Bot,
  Brain,
  Cable,
  Columns3,
  FileSearch,
  LayoutDashboard,
  MessageSquare,
  Puzzle,
  Settings,
  UserPlus,
  Workflow,
};
