import { serve } from "~/core/serve";
import { InboundTask } from "~/work/workflows/polls/inbound.schema";
import { readInbound } from "~/work/workflows/polls/inbound.thread";

serve(InboundTask, readInbound);
