import { BodyTask, runBodyTask } from "~/core/body-task";
import { serve } from "~/core/serve";

serve(BodyTask, runBodyTask);
