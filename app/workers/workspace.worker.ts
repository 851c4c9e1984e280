import { serve } from "~/core/serve";
import { runWorkspaceTask } from "~/work/workflows/workspace/workspace.thread";
import { WorkspaceTask } from "~/work/workflows/workspace/workspace-task";

serve(WorkspaceTask, runWorkspaceTask);
