import { useEffect, useState } from "preact/hooks";
import { parseHash, type Route } from "./router.ts";

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const onChange = () => setHash(location.hash);
    addEventListener("hashchange", onChange);
    return () => removeEventListener("hashchange", onChange);
  }, []);
  return parseHash(hash);
}

export const go = (hash: string): void => {
  location.hash = hash;
};

/** Without an entry in the history: for what is typed. */
export function replaceHash(hash: string): void {
  history.replaceState(null, "", hash);
  dispatchEvent(new HashChangeEvent("hashchange"));
}
