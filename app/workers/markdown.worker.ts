import { serve } from "~/core/serve";
import { RenderTask, renderTexts } from "~/work/chat/markdown/render-task";

serve(RenderTask, renderTexts);
