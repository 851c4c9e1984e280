import { serve } from "~/core/serve";
import { GitTask, runGitTask } from "~/work/documents/sources/kinds/git-task";

serve(GitTask, runGitTask);
