extension StringProtocol where UTF8View: BidirectionalCollection {
    /// Without the brackets that a URL has around an IPv6 address.
    package var withoutBrackets: SubSequence {
        utf8.first == 0x5b && utf8.last == 0x5d ? dropFirst().dropLast() : self[...]
    }

    /// A host without the dot at its end, which only the resolver is told: `localhost.`.
    package var withoutFinalDot: SubSequence { utf8.last == 0x2e ? dropLast() : self[...] }
}
