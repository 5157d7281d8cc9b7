#!/usr/bin/env python3
"""Somebody who sits before an X display: gives the largest window the keyboard and types.

  person.py DISPLAY TEXT...     types each text, with Tab between them and Return behind the last
"""
import ctypes
import ctypes.util
import sys
import time


class Attributes(ctypes.Structure):
    _fields_ = [("x", ctypes.c_int), ("y", ctypes.c_int), ("width", ctypes.c_int), ("height", ctypes.c_int),
                ("rest", ctypes.c_byte * 256)]


def load(name):
    library = ctypes.util.find_library(name)
    if not library:
        sys.exit(f"lib{name} is not installed")
    return ctypes.CDLL(library)


x11, xtst = load("X11"), load("Xtst")
x11.XOpenDisplay.restype = ctypes.c_void_p
x11.XDefaultRootWindow.restype = ctypes.c_ulong
x11.XKeysymToKeycode.restype = ctypes.c_ubyte
for function in ("XDefaultRootWindow", "XFlush", "XSync"):
    getattr(x11, function).argtypes = [ctypes.c_void_p] + ([ctypes.c_int] if function == "XSync" else [])
x11.XKeysymToKeycode.argtypes = [ctypes.c_void_p, ctypes.c_ulong]
x11.XSetInputFocus.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int, ctypes.c_ulong]
x11.XGetWindowAttributes.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.POINTER(Attributes)]
x11.XQueryTree.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.POINTER(ctypes.c_ulong), ctypes.POINTER(ctypes.c_ulong),
                           ctypes.POINTER(ctypes.POINTER(ctypes.c_ulong)), ctypes.POINTER(ctypes.c_uint)]
xtst.XTestFakeKeyEvent.argtypes = [ctypes.c_void_p, ctypes.c_uint, ctypes.c_int, ctypes.c_ulong]
xtst.XTestFakeMotionEvent.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_ulong]
xtst.XTestFakeButtonEvent.argtypes = [ctypes.c_void_p, ctypes.c_uint, ctypes.c_int, ctypes.c_ulong]
TAB, RETURN, SHIFT = 0xff09, 0xff0d, 0xffe1


class Person:
    def __init__(self, display):
        self.display = x11.XOpenDisplay(display.encode())
        if not self.display:
            sys.exit(f"no display {display}")

    def windows(self):
        root, parent, count = ctypes.c_ulong(), ctypes.c_ulong(), ctypes.c_uint()
        children = ctypes.POINTER(ctypes.c_ulong)()
        x11.XQueryTree(self.display, x11.XDefaultRootWindow(self.display), ctypes.byref(root), ctypes.byref(parent),
                       ctypes.byref(children), ctypes.byref(count))
        for index in range(count.value):
            attributes = Attributes()
            if x11.XGetWindowAttributes(self.display, children[index], ctypes.byref(attributes)):
                yield attributes.width * attributes.height, children[index], attributes

    def turn_to_largest_window(self, seconds=20):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            size, window, at = max(self.windows(), default=(0, 0, None))
            if size > 100_000:
                x11.XSetInputFocus(self.display, window, 1, 0)
                x11.XSync(self.display, 0)
                return window
            time.sleep(0.1)
        sys.exit("no window appeared")

    def key(self, symbol, shift=False):
        code = x11.XKeysymToKeycode(self.display, symbol)
        if shift:
            xtst.XTestFakeKeyEvent(self.display, x11.XKeysymToKeycode(self.display, SHIFT), 1, 0)
        xtst.XTestFakeKeyEvent(self.display, code, 1, 0)
        xtst.XTestFakeKeyEvent(self.display, code, 0, 0)
        if shift:
            xtst.XTestFakeKeyEvent(self.display, x11.XKeysymToKeycode(self.display, SHIFT), 0, 0)
        x11.XSync(self.display, 0)
        time.sleep(0.02)

    def type(self, text):
        for letter in text:
            self.key(ord(letter), shift=letter.isupper())


def main():
    display, *texts = sys.argv[1:]
    person = Person(display)
    person.turn_to_largest_window()
    for index, text in enumerate(texts):
        person.type(text)
        person.key(RETURN if index == len(texts) - 1 else TAB)


if __name__ == "__main__":
    main()
