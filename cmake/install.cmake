# make install: programs, apps, profiles, a unit for systemd and the shells' completion. `viv` finds apps and profiles
# under ../share/vivarium; the completion scripts are what the program itself prints.
include(GNUInstallDirs)
install(PROGRAMS ${PROJECT_BINARY_DIR}/viv ${PROJECT_BINARY_DIR}/viv-agent ${PROJECT_BINARY_DIR}/viv-tools
  DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/apps ${PROJECT_SOURCE_DIR}/profiles DESTINATION ${CMAKE_INSTALL_DATADIR}/vivarium)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
set(VIV_UNIT_IN ${PROJECT_SOURCE_DIR}/cmake/vivarium.service.in)
install(CODE "
  set(VIV_BIN \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")
  set(root \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
  configure_file(\"${VIV_UNIT_IN}\" \"\${root}/lib/systemd/system/vivarium.service\" @ONLY)
  foreach(pair bash:bash-completion/completions/viv zsh:zsh/site-functions/_viv fish:fish/vendor_completions.d/viv.fish)
    string(REPLACE \":\" \";\" pair \${pair})
    list(GET pair 0 shell)
    list(GET pair 1 file)
    execute_process(COMMAND ${PROJECT_BINARY_DIR}/viv completion \${shell} OUTPUT_VARIABLE script COMMAND_ERROR_IS_FATAL ANY)
    file(WRITE \"\${root}/${CMAKE_INSTALL_DATADIR}/\${file}\" \"\${script}\")
  endforeach()
")
