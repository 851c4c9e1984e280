import { BodyTask, runBodyTask } from "~/features/gateway/body/worker-task";
import { serve } from "./serve";

serve(BodyTask, runBodyTask);
