import { serve } from "~/core/serve";
import { findLacking, TraitsTask } from "~/work/evaluations/traits-task";

serve(TraitsTask, findLacking);
