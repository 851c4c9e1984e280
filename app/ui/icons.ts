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

/** The icons that a feature's facts can name: those are data, which the server reads without a picture. */
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
