import { BodyTask, runBodyTask } from "~/core/body-task";
import { serve } from "./serve";

serve(BodyTask, runBodyTask);
