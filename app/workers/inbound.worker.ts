import { serve } from "~/core/serve";
import { InboundTask, parseInbound } from "~/work/workflows/polls/inbound-task";

serve(InboundTask, parseInbound);
