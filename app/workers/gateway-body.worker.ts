import { ApartInput, workApart } from "~/features/gateway/body/apart";
import { serve } from "./serve";

serve(ApartInput, workApart);
