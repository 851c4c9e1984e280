import { PastedTask, workOnPasted } from "~/features/knowledge/ingestion/pasted-task";
import { serve } from "./serve";

serve(PastedTask, workOnPasted);
