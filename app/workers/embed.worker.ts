import { EmbedTask, embed } from "~/work/index/embedding/embed-task";
import { serve } from "./serve";

serve(EmbedTask, embed);
