import { serve } from "~/core/serve";
import { runCodeTask } from "~/work/workflows/code/code.thread";
import { CodeTask } from "~/work/workflows/code/code-task";

serve(CodeTask, runCodeTask);
