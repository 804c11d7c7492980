import { describeFuzz } from "./fuzz.ts";

describeFuzz(20);
