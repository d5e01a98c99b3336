// Keeps what is marked as live up to date: the server says when it has changed, and the page is asked for again.
"use strict";

for (const live of document.querySelectorAll("[data-follow]")) {
  const source = new EventSource(live.dataset.follow);
  let first = true;
  source.onmessage = async () => {
    if (first) {
      first = false;
      return;
    }
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (!answer.ok || answer.redirected) {
      source.close();
      return;
    }
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById(live.id);
    if (fresh) live.replaceChildren(...fresh.childNodes);
    if (fresh && !fresh.dataset.follow) source.close();
  };
}
