import { RenderTask, renderTexts } from "~/work/chat/markdown/render-task";
import { serve } from "./serve";

serve(RenderTask, renderTexts);
