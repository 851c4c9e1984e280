import { BodyTask, workOnBody } from "~/core/body-task";
import { serve } from "./serve";

serve(BodyTask, workOnBody);
