import { serve } from "~/core/serve";
import { ListingTask, parseListing } from "~/work/documents/sources/kinds/listing-task";

serve(ListingTask, parseListing);
