import { PastedTask, workOnPasted } from "~/features/knowledge/pasted-task";
import { serve } from "./serve";

serve(PastedTask, workOnPasted);
