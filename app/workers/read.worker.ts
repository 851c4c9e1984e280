import { readRows } from "~/core/read.thread";
import { serve } from "~/core/serve";
import { ReadTask } from "../core/read.thread";

serve(ReadTask, readRows);
