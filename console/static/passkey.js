// Fills the hidden fields of a form with what the browser's passkey answers, and sends the form. The page says what is signed.
"use strict";

const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (sign) => sign.charCodeAt(0));
const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
const known = (form) => (form.dataset.known || "").split(" ").filter(Boolean).map((id) => ({ type: "public-key", id: bytes(id) }));

async function register(form) {
  const made = await navigator.credentials.create({
    publicKey: {
      challenge: bytes(form.dataset.challenge),
      rp: { id: form.dataset.rp, name: "headgate" },
      user: { id: bytes(form.dataset.user), name: form.dataset.name, displayName: form.dataset.name },
      pubKeyCredParams: [{ type: "public-key", alg: -7 }],
      authenticatorSelection: { userVerification: "required", residentKey: "preferred" },
      excludeCredentials: known(form),
      attestation: "none",
      timeout: 300000,
    },
  });
  const answer = {
    id: made.id,
    rawId: text(made.rawId),
    type: made.type,
    response: { clientDataJSON: text(made.response.clientDataJSON), attestationObject: text(made.response.attestationObject) },
  };
  form.elements.answer.value = JSON.stringify(answer);
}

async function sign(form) {
  const made = await navigator.credentials.get({
    publicKey: {
      challenge: bytes(form.dataset.challenge),
      rpId: form.dataset.rp,
      allowCredentials: known(form),
      userVerification: "required",
      timeout: 300000,
    },
  });
  form.elements.credential.value = text(made.rawId);
  form.elements.client.value = text(made.response.clientDataJSON);
  form.elements.authenticator.value = text(made.response.authenticatorData);
  form.elements.proof.value = text(made.response.signature);
}

for (const form of document.querySelectorAll("form[data-passkey]")) {
  const button = form.querySelector("button");
  const said = form.querySelector("[role=alert]");
  if (!window.PublicKeyCredential) continue;
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    said.textContent = "";
    try {
      await (form.dataset.passkey === "register" ? register(form) : sign(form));
      form.submit();
    } catch (problem) {
      said.textContent = form.dataset[problem.name === "InvalidStateError" ? "again" : "failed"];
      button.disabled = false;
    }
  });
}
