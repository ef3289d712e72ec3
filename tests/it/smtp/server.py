"""A mail server for the tests of letters: keeps every mail it accepts as a file, one per acceptance.

Run as: server.py MAILBOX [--port N] [--login USER:PASSWORD] [--starttls | --tls] [--certificate PEM --key KEY]
                  [--die-at N]

Prints its port once it listens. Every acceptance is a file of its own, so that a mail accepted twice is
seen twice. With --die-at it kills itself after storing the Nth mail and before saying so: the worst moment.
Some recipients are special: refused@ does not exist, busy@ is put off, relayed@ is against the policy, and
picky@ refuses the mail itself.
"""

import argparse
import asyncio
import os
import signal
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult


class Mailbox:
    def __init__(self, folder, die_at):
        self.folder = folder
        self.die_at = die_at
        self.accepted = 0

    async def handle_EHLO(self, server, session, envelope, hostname, responses):
        session.host_name = hostname
        with open(os.path.join(self.folder, "connections.log"), "a") as log:
            log.write("encrypted\n" if server.transport.get_extra_info("sslcontext") else "plain\n")
        return responses

    async def handle_RCPT(self, server, session, envelope, address, options):
        name = address.split("@")[0]
        if name == "refused":
            return "550 5.1.1 there is no such mailbox"
        if name == "busy":
            return "451 4.2.0 the mailbox is busy"
        if name == "relayed":
            return "554 5.7.1 relaying is denied"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        if any(address.startswith("picky@") for address in envelope.rcpt_tos):
            return "552 5.3.4 the mail is not to my taste"
        self.accepted += 1
        name = f"{os.getpid()}-{self.accepted}"
        unfinished = os.path.join(self.folder, name + ".unfinished")
        with open(unfinished, "wb") as file:
            file.write(envelope.original_content)
        os.rename(unfinished, os.path.join(self.folder, name + ".eml"))
        if self.accepted == self.die_at:
            os.kill(os.getpid(), signal.SIGKILL)
        return "250 OK"


def settings(arguments):
    context = None
    if arguments.starttls or arguments.tls:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(arguments.certificate, arguments.key)
    keywords = {"hostname": "localhost"}
    if arguments.starttls:
        keywords.update(tls_context=context, require_starttls=True)
    if arguments.login:
        user, password = arguments.login.encode().split(b":", 1)

        def check(server, session, envelope, mechanism, data):
            return AuthResult(success=(data.login, data.password) == (user, password), handled=False)

        # aiosmtpd does not count encryption from the first byte as encryption.
        keywords.update(authenticator=check, auth_required=True, auth_require_tls=arguments.starttls)
    return keywords, context if arguments.tls else None


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mailbox")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--login")
    parser.add_argument("--starttls", action="store_true")
    parser.add_argument("--tls", action="store_true")
    parser.add_argument("--certificate")
    parser.add_argument("--key")
    parser.add_argument("--die-at", type=int, default=0)
    arguments = parser.parse_args()
    mailbox = Mailbox(arguments.mailbox, arguments.die_at)
    keywords, context = settings(arguments)
    server = await asyncio.get_running_loop().create_server(
        lambda: SMTP(mailbox, **keywords), "127.0.0.1", arguments.port, ssl=context
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    await stopping.wait()
    # Letters under way are finished or cut off: the process ends, and with it every connection.
    server.close()


asyncio.run(main())
sys.exit(0)
