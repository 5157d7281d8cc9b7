import ArgumentParser

/// Recording packets instead of being a proxy.
struct InterfaceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Record the packets of an interface instead of being a proxy; with --keylog also what is in TLS.",
            discussion:
                "Nothing is intercepted, and no client needs to be told. A COMMAND is told where to write its keys (SSLKEYLOGFILE), and the recording ends with it. It takes the right to capture; root's other rights are given up at once.",
            valueName: "IF"
        )
    )
    var interface: String?

    @Option(
        help: ArgumentHelp(
            "Which packets of the interface, as for tcpdump: \"port 443\".",
            valueName: "BPF"
        )
    )
    var filter: String?
}
