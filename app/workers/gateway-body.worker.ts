import { BodyTask, runBodyTask } from "~/ai/gateway/body/worker-task";
import { serve } from "~/core/serve";

serve(BodyTask, runBodyTask);
