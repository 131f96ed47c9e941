"""What a command shows on a terminal: it runs on a pseudo-terminal, which is read as an emulator would show it.

    terminal.py [--columns N] [--env NAME=VALUE]… [--until WORDS [--narrow N] [--signal NAME]] -- COMMAND…

prints the status line each time that it was drawn, with colours as <1>, and after that 'left: ' and each line that is on the
screen at the end. --until: once the status line, or another line, matches, the terminal becomes as narrow as --narrow says, and the command gets
its signal once more WORDS match; of INT a ^C is typed. Exit status: the command's, 98 where a status line did not fit, 99 where
none matched."""
import argparse
import fcntl
import os
import pty
import re
import signal
import struct
import sys
import termios

options = argparse.ArgumentParser()
options.add_argument("--columns", type=int, default=80)
options.add_argument("--env", action="append", default=[])
options.add_argument("--until")
options.add_argument("--narrow", type=int)
options.add_argument("--signal")
options.add_argument("command", nargs="+")
o = options.parse_args()


class Screen:
    def __init__(self):
        self.above, self.line, self.at, self.colours = [], [], 0, ""

    def write(self, text):
        """Returns the lines that were drawn in place, which end by erasing what was behind them, and those that were ended."""
        drawn, ended = [], []
        for part in re.findall(r"\033\[[0-9;]*[A-Za-z]|[^\033]", text):
            if part == "\033[K":
                del self.line[self.at:]
                drawn.append(self.colours + "".join(self.line))
            elif part.startswith("\033"):
                self.colours += "<%s>" % part[2:-1]
            elif part == "\r":
                self.at, self.colours = 0, ""
            elif part == "\n":
                ended.append("".join(self.line))
                self.line, self.at = [], 0
            else:
                self.line[self.at:self.at + 1] = part
                self.at += 1
        self.above += ended
        return drawn, ended


def resize(fd, columns):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))


child, fd = pty.fork()
if child == 0:
    resize(0, o.columns)
    for name in "NO_COLOR", "COLUMNS":
        os.environ.pop(name, None)
    os.environ.update(dict({"TERM": "xterm"}, **dict(setting.split("=", 1) for setting in o.env)))
    os.execvp(o.command[0], o.command)
screen, columns, fits, met = Screen(), o.columns, True, 0
while True:
    try:
        text = os.read(fd, 65536).decode(errors="replace")
    except OSError:  # the other side is closed
        break
    drawn, ended = screen.write(text)
    for line in drawn:
        print(line, flush=True)
        fits &= len(re.sub(r"<[0-9;]*>", "", line)) < columns
    for line in drawn + ended:
        if not o.until or not re.search(o.until, line):
            continue
        met += 1
        if o.narrow and met == 1:
            resize(fd, o.narrow)
        elif o.narrow and met == 2:  # one line may have been on its way
            columns = o.narrow
        if o.signal == "INT" and met == (3 if o.narrow else 1):
            os.write(fd, b"\x03")
        elif o.signal and met == (3 if o.narrow else 1):
            os.kill(child, getattr(signal, "SIG" + o.signal))
_, status = os.waitpid(child, 0)
for line in [*screen.above, "".join(screen.line)]:
    print("left: " + line.rstrip())
code = os.waitstatus_to_exitcode(status)
sys.exit(98 if not fits else 99 if o.until and not met else code if code >= 0 else 128 - code)
