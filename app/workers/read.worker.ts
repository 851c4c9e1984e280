import { readRows } from "~/core/read.thread";
import { ReadTask } from "~/core/read-task";
import { serve } from "~/core/serve";

serve(ReadTask, readRows);
