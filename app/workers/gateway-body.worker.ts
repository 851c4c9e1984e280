import { BodyTask, runBodyTask } from "~/ai/gateway/body/worker-task";
import { serve } from "./serve";

serve(BodyTask, runBodyTask);
