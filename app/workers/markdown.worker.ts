import { RenderTask, renderTexts } from "~/features/chat/markdown/render-task";
import { serve } from "./serve";

serve(RenderTask, renderTexts);
