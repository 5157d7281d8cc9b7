/// What Ruby loads first (`RUBYOPT`): loopback goes through the proxy as well.
enum RubyPreload {
    static let text = #"""
        # Loaded by `authreel record -- CMD` for this run only: URI#find_proxy, which Net::HTTP and others ask, leaves out
        # loopback addresses even where a proxy is set and no_proxy is not, and HTTPClient localhost; here they do not. Waits
        # for either library instead of loading it, whose version is the program's to choose.
        begin
          module AuthreelProxy
            finder = Module.new do
              def find_proxy(env = ENV)
                found = super
                name = "#{scheme.downcase}_proxy"
                proxy = env[name] || env[name.upcase]
                return found if found || proxy.nil? || proxy.empty? || hostname.nil?
                return found if name == 'http_proxy' && env.include?('REQUEST_METHOD')
                left_out = env['no_proxy'] || env['NO_PROXY']
                return found if left_out && !URI::Generic.use_proxy?(hostname, nil, port, left_out)
                URI.parse(proxy)
              end
            end
            # A proxy of the program's own keeps to the library's rule; what no_proxy names is looked at without case.
            chooser = Module.new do
              private

              def no_proxy?(uri)
                named = ENV['http_proxy'] || ENV['HTTP_PROXY']
                return super unless uri.host == 'localhost' && @proxy && @proxy.to_s == named
                super(uri.dup.tap { |spelled| spelled.host = 'LOCALHOST' })
              end
            end

            # Frozen, and the method no block's: classes are made in every Ractor.
            CHANGES = { 'URI::Generic' => finder, 'HTTPClient' => chooser }.freeze

            private

            def inherited(created)
              super
              # What a class calls itself may be its own affair.
              change = CHANGES[Module.instance_method(:name).bind(created).call]
              created.prepend(change) if change
            end
          end

          URI::Generic.prepend(AuthreelProxy::CHANGES['URI::Generic']) if defined?(URI::Generic)
          HTTPClient.prepend(AuthreelProxy::CHANGES['HTTPClient']) if defined?(HTTPClient)
          Object.singleton_class.prepend(AuthreelProxy)
        rescue StandardError
          nil
        end

        """#
}
