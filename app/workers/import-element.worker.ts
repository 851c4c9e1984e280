import { JsonElement } from "~/work/chat/transfer/json-elements";
import { readElement } from "~/work/chat/transfer/read-element";
import { serve } from "./serve";

serve(JsonElement, readElement);
